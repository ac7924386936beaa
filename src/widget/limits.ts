import type { Neighbours } from '../platform/neighbours/contract.ts'
import { Refusal } from '../platform/errors.ts'
import type { SlidingWindow } from '../platform/work/sliding-window.ts'
import { addressBlock } from '../platform/net/address.ts'

/** Visitors' limits, separate from those of the account, which they never use up. 0: no limit. */
export interface VisitorLimits {
  /** Messages of one visitor. */
  messagesPerMinute: number
  messagesPerDay: number
  /** New sessions from one address block. */
  sessionsPerMinute: number
  /** Answers that agents write for one address block; not counted if messages are not. */
  answersPerMinute: number
}

/** Everything else of one visitor, reading and streams included: far more than a widget needs. */
const REQUESTS_PER_MINUTE = 180
/**
 * Messages from one address block that people may answer, and conversations begun there: enough for an office full of
 * people, but not for a script.
 */
const MESSAGES_PER_BLOCK = 240
/** Files from one address block, in MiB an hour. */
const MIB_PER_BLOCK = 200
/**
 * Visitors who exceed this within a minute are refused once only a third of the address block's answers is left: so a
 * few who write without a pause do not use up the share of others behind the same address.
 */
const NOW_AND_THEN = 3
const FOR_MANY = 2 / 3
/** Maximum number of visitors and addresses tracked; beyond it, the least recently active are dropped. */
const REMEMBERED = 20_000
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Counts what visitors do. Each refuses with `rate_limited`, and Retry-After, above its limit. */
export interface VisitorThrottle {
  message (visitor: string, ip: string): Promise<void>
  /** An answer to be written by an agent. */
  answer (visitor: string, ip: string): Promise<void>
  /** Bytes of received files. */
  files (ip: string, bytes: number): Promise<void>
  conversation (visitor: string, ip: string): Promise<void>
  request (visitor: string): Promise<void>
  session (ip: string): Promise<void>
}

/** See VisitorThrottle. */
export function visitorThrottle (
  neighbours: Pick<Neighbours, 'window'>, { messagesPerMinute, messagesPerDay, sessionsPerMinute, answersPerMinute }: VisitorLimits
): VisitorThrottle {
  const window = (name: string, windowMs?: number) =>
    neighbours.window({ name: `visitors/${name}`, most: REMEMBERED, windowMs })
  const [minute, day, requests] = [window('minute'), window('day', DAY_MS), window('requests')]
  const [begun, begunToday, begunInBlock] = [window('begun'), window('begun-today', DAY_MS), window('begun-in-block')]
  const [sessions, blocks, answers, asked] = [window('sessions'), window('blocks'), window('answers'), window('asked')]
  const mebibytes = window('mebibytes', HOUR_MS)
  const perBlock = Math.max(MESSAGES_PER_BLOCK, messagesPerMinute)
  return {
    async message (visitor, ip) {
      await take(
        minute, visitor, messagesPerMinute,
        'You are writing faster than you can be answered. Wait a moment, then send it again.'
      )
      if (messagesPerMinute > 0) {
        await take(
          blocks, addressBlock(ip), perBlock,
          'Too many messages from this network. Wait a moment, then send it again.'
        )
      }
      await take(day, visitor, messagesPerDay, 'You have written as much as can be answered in a day. Come back tomorrow.')
    },
    async answer (visitor, ip) {
      if (messagesPerMinute === 0 || answersPerMinute === 0) return
      const isOften = await asked.used(visitor) >= NOW_AND_THEN
      await take(
        answers, addressBlock(ip), isOften ? Math.ceil(answersPerMinute * FOR_MANY) : answersPerMinute,
        'Too many questions from this network. Wait a moment, then send it again.'
      )
      await asked.take(visitor, answersPerMinute)
    },
    async files (ip, bytes) {
      for (let mib = 0; mib < bytes / 2 ** 20; mib++) {
        await take(mebibytes, addressBlock(ip), MIB_PER_BLOCK, 'Too many files from this network. Send them later.')
      }
    },
    async conversation (visitor, ip) {
      await take(begun, visitor, messagesPerMinute, 'Too many new conversations. Wait a moment and try again.')
      if (messagesPerMinute > 0) {
        await take(
          begunInBlock, addressBlock(ip), perBlock, 'Too many new conversations from this network. Wait a moment and try again.'
        )
      }
      await take(begunToday, visitor, messagesPerDay, 'You have started as many conversations as a day allows. Come back tomorrow.')
    },
    request: async (visitor) =>
      take(requests, visitor, REQUESTS_PER_MINUTE, 'Too many requests. Wait a moment and try again.'),
    session: async (ip) =>
      await take(
        sessions,
        addressBlock(ip),
        sessionsPerMinute,
        'Too many new conversations from this network. Wait a minute and try again.'
      )
  }
}

async function take (window: SlidingWindow, name: string, limit: number, message: string) {
  if (limit === 0) return
  const { allowed, freesMs } = await window.take(name, limit)
  if (!allowed) {
    throw new Refusal('rate_limited', message, {
      fields: { limit }, headers: { 'retry-after': String(Math.ceil(freesMs / 1000)) }
    })
  }
}
