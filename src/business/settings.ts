import { DAYS, NO_TARGETS, type BusinessPatch, type BusinessRecord, type Hours } from '../../schema/business.ts'
import type { Id, Timestamp } from '../../schema/common.ts'
import { microsOf } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'
import { faultIn, isTimeZone } from './hours.ts'

/** What holds for an account that has set nothing: people are always there, and the built-in sentences are said. */
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

/**
 * What the settings become. Refuses with VALIDATION_ERROR a time zone that does not exist, hours that overlap or end
 * before they begin, and days that are in no calendar.
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
  if (!isTimeZone(zone)) {
    throw invalid({
      field: 'time_zone', code: 'no_time_zone', message: 'time_zone is not the name of a time zone, for example "Europe/Berlin".'
    })
  }
  const next = hours === undefined ? kept.hours : hours && { ...kept.hours ?? CLOSED, ...hours }
  for (const day of DAYS) {
    const fault = next && faultIn(next[day])
    if (fault) throw invalid({ field: `hours.${day}`, code: 'wrong_hours', message: `hours.${day} ${fault}.` })
  }
  const noDay = closedOn.find((day) => microsOf(day) === undefined)
  if (noDay !== undefined) {
    throw invalid({ field: 'closed_on', message: `closed_on holds ${noDay}, which is not a day of the calendar.` })
  }
  const lines = linesOf(address)
  if (lines.length > MOST_LINES) {
    throw invalid({ field: 'address', message: `address has ${lines.length} lines, and may have ${MOST_LINES}.` })
  }
  return {
    ...kept,
    name: name.trim().replaceAll(/\s+/g, ' '),
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

/** The lines of an address that say something, each with single spaces. */
export function linesOf (address: string): string[] {
  return address.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trim().replaceAll(/\s+/g, ' ')).filter(Boolean)
}

/** Seals the address of a team's chat. Refuses with VALIDATION_ERROR one that nothing may be sent to. */
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
