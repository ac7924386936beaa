import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { slidingWindow, type SlidingWindow } from '../platform/http/sliding-window.ts'
import { addressBlock } from '../platform/net/address.ts'

/** What visitors may do, beside the limits of the account, which they never use up. 0: no limit. */
export interface VisitorLimits {
  /** Messages of one visitor. */
  messagesPerMinute: number
  messagesPerDay: number
  /** New sessions from one address block. */
  sessionsPerMinute: number
}

/** Everything else of one visitor, reading and streams included: far more than a widget needs. */
const REQUESTS_PER_MINUTE = 180
/** Messages from one address block: an office full of people, and nobody's program. */
const MESSAGES_PER_BLOCK = 60
/** Visitors and addresses that are remembered; beyond, those that have been quiet longest are forgotten. */
const REMEMBERED = 20_000
const DAY_MS = 24 * 60 * 60 * 1000

/** Counts what visitors do. Each refuses with `rate_limited`, and Retry-After, what is too much. */
export interface VisitorThrottle {
  message (visitor: string, ip: string): void
  conversation (visitor: string): void
  request (visitor: string): void
  session (ip: string): void
}

/** See VisitorThrottle. */
export function visitorThrottle (
  clock: Clock, { messagesPerMinute, messagesPerDay, sessionsPerMinute }: VisitorLimits
): VisitorThrottle {
  const window = (windowMs?: number) => slidingWindow({ clock, most: REMEMBERED, windowMs })
  const [minute, day, begun, requests] = [window(), window(DAY_MS), window(), window()]
  const [sessions, blocks] = [window(), window()]
  return {
    message (visitor, ip) {
      take(
        minute, visitor, messagesPerMinute,
        'You are writing faster than you can be answered. Wait a moment, then send it again.'
      )
      if (messagesPerMinute > 0) {
        take(
          blocks, addressBlock(ip), Math.max(MESSAGES_PER_BLOCK, messagesPerMinute),
          'Too many messages from this network. Wait a moment, then send it again.'
        )
      }
      take(day, visitor, messagesPerDay, 'You have written as much as can be answered in a day. Come back tomorrow.')
    },
    conversation: (visitor) =>
      take(begun, visitor, messagesPerMinute, 'Too many new conversations. Wait a moment and try again.'),
    request: (visitor) =>
      take(requests, visitor, REQUESTS_PER_MINUTE, 'Too many requests. Wait a moment and try again.'),
    session: (ip) =>
      take(
        sessions,
        addressBlock(ip),
        sessionsPerMinute,
        'Too many new conversations from this network. Wait a minute and try again.'
      )
  }
}

function take (window: SlidingWindow, name: string, limit: number, message: string) {
  if (limit === 0) return
  const { allowed, freesMs } = window.take(name, limit)
  if (!allowed) {
    throw new Refusal('rate_limited', message, {
      fields: { limit }, headers: { 'retry-after': String(Math.ceil(freesMs / 1000)) }
    })
  }
}
