import type { Id } from '../../../schema/common.ts'
import type { Kernel } from '../../kernel/index.ts'
import { featuresOf, tiersIn } from '../../plans/index.ts'

/** The usage of one answer by a model, as stored. No message content. */
export interface ModelUsage {
  agent: Id
  model: string
  provider: string
  outcome: 'complete' | 'stopped' | 'failed'
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  /** In the currency of the price list; null if no price is known. */
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

/** Which runs to sum: from and to are days, both included. */
interface UsageFilter { from: string, to: string, agent?: Id }

/** The ledger of model usage. */
export interface Ledger {
  /** Records a run of an answer outside of conversations; those of conversations are recorded with the message. */
  note (owner: Id, run: ModelUsage): Promise<void>
  /** Tokens used today by the account and this agent. */
  today (owner: Id, agent: Id): Promise<{ account: number, agent: number }>
  /** Sums by day and model, oldest first. */
  usage (owner: Id, filter: UsageFilter): Promise<UsageLine[]>
}

/** Whether an account or an agent has used up its daily tokens; 0 is no limit. */
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

/** What an account may use: premium models, and daily tokens for it and for each of its agents; 0 is no limit. */
interface Allowance { hasPremium: boolean, daily: { account: number, agent: number } }

/** Allowances of accounts, by their tiers. */
export function allowancesIn (
  { db, config: { DAILY_TOKENS, DAILY_AGENT_TOKENS } }: Pick<Kernel, 'db' | 'config'>
): (owner: Id) => Promise<Allowance> {
  const tierOf = tiersIn(db)
  return async (owner) => {
    const tier = await db.read(() => tierOf(owner))
    return {
      hasPremium: featuresOf(tier).PREMIUM_MODELS,
      daily: { account: DAILY_TOKENS[tier], agent: DAILY_AGENT_TOKENS[tier] ?? 0 }
    }
  }
}
