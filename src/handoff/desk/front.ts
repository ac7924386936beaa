import type { Id } from '../../../schema/common.ts'
import type { DeskShown } from '../../../schema/widget.ts'
import { changesAt, isOpen, type BusinessStore, type Openings } from '../../business/index.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import type { DutyStore } from '../duty.sqlite.ts'
import type { NameForVisitors } from './named.ts'

/** What visitors of an account see of its people before writing anything; null: nothing can be said. */
export type Front = (owner: Id) => Promise<DeskShown | null>

/** Most people that are named: there is room for this many faces. */
const NAMED = 3
/** How long it is cached: every page that shows a widget asks. */
const KEPT_MICROS = 15 * 1e6
/** Most accounts cached. */
const REMEMBERED = 500

/**
 * See Front. In opening hours with nobody on duty, nothing is promised. `people`: those on duty, by name if it may be
 * shown. `micros`: the time since 1970.
 */
export function frontOf (hours: Openings, people: ReadonlyArray<string | null>, micros: number): DeskShown | null {
  const open = isOpen(hours, micros)
  const changes = changesAt(hours, micros)
  if (open ? people.length === 0 : changes === undefined) return null
  const named = people.filter((name) => name !== null)
  return { open, until: changes === undefined ? null : timestamp(changes), people: named.slice(0, NAMED) }
}

/** Looks up who is there, and caches it. */
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
