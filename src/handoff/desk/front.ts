import type { Id } from '../../../schema/common.ts'
import type { DeskShown } from '../../../schema/widget.ts'
import { changesAt, isOpen, type BusinessStore, type Openings } from '../../business/index.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import type { DutyStore } from '../duty.sqlite.ts'
import type { NameForVisitors } from './named.ts'

/** What visitors of an account are told of its people before they have said a word; null: nothing can be said. */
export type Front = (owner: Id) => Promise<DeskShown | null>

/** People that are named at most: there is room for so many faces. */
const NAMED = 3
/** How long it is remembered: every page that shows a widget asks. */
const KEPT_MICROS = 15 * 1e6
/** Accounts that are remembered. */
const REMEMBERED = 500

/**
 * See Front. Within hours in which nobody is there, nothing is promised. `people`: who is there, by name as far as they
 * may be named. `micros`: the time since 1970.
 */
export function frontOf (hours: Openings, people: ReadonlyArray<string | null>, micros: number): DeskShown | null {
  const open = isOpen(hours, micros)
  const changes = changesAt(hours, micros)
  if (open ? people.length === 0 : changes === undefined) return null
  const named = people.filter((name) => name !== null)
  return { open, until: changes === undefined ? null : timestamp(changes), people: named.slice(0, NAMED) }
}

/** Looks who is there, and remembers it. */
export function openFront (
  { business, duty, nameForVisitors, clock }: {
    business: Pick<BusinessStore, 'get'>, duty: Pick<DutyStore, 'there'>, nameForVisitors: NameForVisitors, clock: Clock
  }
): Front {
  const known = new Map<Id, { until: number, front: DeskShown | null }>()
  return async (owner) => {
    const now = clock.micros()
    const remembered = known.get(owner)
    if (remembered && now < remembered.until) return remembered.front
    if (known.size >= REMEMBERED) known.clear()
    const there = await duty.there(owner)
    const people = await Promise.all(there.map((user) => nameForVisitors(owner, user)))
    const front = frontOf(await business.get(owner), people, now)
    known.set(owner, { until: now + KEPT_MICROS, front })
    return front
  }
}
