import { type BusinessPatch, type BusinessRecord, DAYS, type Hours, NO_TARGETS } from '../../schema/business.ts'
import type { Id, Timestamp } from '../../schema/common.ts'
import { businesses } from '../../schema/sqlite/business.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Work } from '../platform/storage/work.ts'
import type { BusinessStore } from './store.ts'
import { microsOf } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'
import { isBlank } from '../platform/text.ts'
import { faultIn, isTimeZone } from './hours.ts'

/** Settings of accounts in SQLite. */
export function sqliteBusinessStore ({ db }: { db: Database }): BusinessStore {
  const rows = rowsOf(businesses)
  const kept = db.rows<[Id], unknown[]>(`select ${rows.columns} from businesses where owner_id = ?`)

  function * of (owner: Id): Work<BusinessRecord> {
    const row = yield * kept.get(owner)
    return row ? rows.record(row) : unset(owner)
  }

  return {
    of,
    get: async (owner) => db.read(() => of(owner)),
    change: (owner, decide) => db.atomically(function * () {
      const next = decide(yield * of(owner))
      yield * db.run(db.orm.insert(businesses).values(next).onConflictDoUpdate({ target: businesses.owner, set: next }))
      return next
    })
  }
}

/** Defaults of an account without settings: people are always available, and the built-in texts are used. */
export function unset (owner: Id): BusinessRecord {
  return {
    owner,
    name: '',
    address: '',
    time_zone: 'UTC',
    hours: null,
    closed_on: [],
    notices: { waiting: '', taken: '', returned: '', ticket: '', closed: '' },
    targets: NO_TARGETS,
    asks_satisfaction: false,
    gaps_mail: 'en',
    team_chat_host: null,
    team_chat_url: null,
    updated_at: null
  }
}

/** Refuses with VALIDATION_ERROR a time zone that does not exist. */
export function checkTimeZone (zone: string) {
  if (isTimeZone(zone)) return
  throw invalid({
    field: 'time_zone', code: 'no_time_zone', message: 'time_zone is not the name of a time zone, for example "Europe/Berlin".'
  })
}

/**
 * The settings after a change. Refuses with VALIDATION_ERROR a time zone that does not exist, hours that overlap or end
 * before they begin, and dates that do not exist.
 */
export function decideBusiness (
  kept: BusinessRecord,
  {
    name = kept.name, address = kept.address, time_zone: zone = kept.time_zone, hours,
    closed_on: closedOn = kept.closed_on, notices, targets, asks_satisfaction: asks = kept.asks_satisfaction,
    gaps_mail: gapsMail = kept.gaps_mail, team_chat_url: chat
  }: BusinessPatch,
  at: Timestamp,
  seal: SealChat
): BusinessRecord {
  checkTimeZone(zone)
  const next = hours === undefined ? kept.hours : hours && { ...kept.hours ?? CLOSED, ...hours }
  for (const day of DAYS) {
    const fault = next && faultIn(next[day])
    if (fault) throw invalid({ field: `hours.${day}`, code: 'wrong_hours', message: `hours.${day} ${fault}.` })
  }
  const noDay = closedOn.find((day) => microsOf(day) === undefined)
  if (noDay !== undefined) {
    throw invalid({ field: 'closed_on', message: `closed_on holds ${noDay}, which is not a valid date.` })
  }
  const lines = linesOf(address)
  if (lines.length > MOST_LINES) {
    throw invalid({ field: 'address', message: `address has ${lines.length} lines, and may have ${MOST_LINES}.` })
  }
  return {
    ...kept,
    name: isBlank(name) ? '' : name.trim().replaceAll(/\s+/g, ' '),
    address: lines.join('\n'),
    time_zone: zone,
    hours: next,
    closed_on: closedOn,
    notices: { ...kept.notices, ...notices },
    targets: { ...kept.targets, ...targets },
    asks_satisfaction: asks,
    gaps_mail: gapsMail,
    ...chatOf(chat, seal),
    updated_at: at
  }
}

const MOST_LINES = 6

/** The non-empty lines of an address, each with single spaces. */
export function linesOf (address: string): string[] {
  return address.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trim().replaceAll(/\s+/g, ' ')).filter(Boolean)
}

/** Seals the webhook address of a team chat. Refuses with VALIDATION_ERROR an address that nothing may be sent to. */
export type SealChat = (url: string) => Buffer

function chatOf (url: string | null | undefined, seal: SealChat): Partial<BusinessRecord> {
  if (url === undefined) return {}
  return url === null
    ? { team_chat_host: null, team_chat_url: null }
    : {
        team_chat_url: seal(url), team_chat_host: new URL(url).host
      }
}

const CLOSED: Hours = { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] }
