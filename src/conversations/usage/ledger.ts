import type { Id } from '../../../schema/common.ts'

/** What one answer of a model took, as the ledger keeps it. No word of what was said. */
export interface Run {
  agent: Id
  model: string
  provider: string
  outcome: 'complete' | 'stopped' | 'failed'
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  /** In the currency of the price list; null where no price is known. */
  cost: number | null
  first_ms: number | null
  total_ms: number | null
}

/** Sums over runs of one day and model. */
export interface UsageLine {
  day: string
  model: string
  runs: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  cost: number | null
}

/** Which runs are summed: from and to are days, both included. */
interface UsageFilter { from: string, to: string, agent?: Id }

/** The ledger of what models took. */
export interface Ledger {
  /** Notes a run of an answer that belongs to no conversation; those of conversations are noted with their message. */
  note (owner: Id, run: Run): Promise<void>
  /** Tokens that the account and this agent have used today. */
  today (owner: Id, agent: Id): Promise<{ account: number, agent: number }>
  /** Sums by day and model, oldest first. */
  usage (owner: Id, filter: UsageFilter): Promise<UsageLine[]>
}

/** Whether an account or an agent has used up its tokens of the day; 0 is no limit. */
export function isSpent (used: { account: number, agent: number }, caps: { account: number, agent: number }): boolean {
  return (caps.account > 0 && used.account >= caps.account) || (caps.agent > 0 && used.agent >= caps.agent)
}

const DAY_MICROS = 86_400_000_000

/** Days since 1970 of a time in microseconds. */
export function dayOf (micros: number): number {
  return Math.floor(micros / DAY_MICROS)
}

/** `2026-11-20` of a number of days since 1970. */
export function dateOf (day: number): string {
  return new Date(day * DAY_MICROS / 1000).toISOString().slice(0, 10)
}

/** The number of days since 1970 of a date. */
export function dayOfDate (date: string): number {
  return dayOf(Date.parse(`${date}T00:00:00Z`) * 1000)
}
