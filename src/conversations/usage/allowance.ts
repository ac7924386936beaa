import type { Id } from '../../../schema/common.ts'
import type { Kernel } from '../../kernel/index.ts'
import { featuresOf, tiersIn } from '../../plans/index.ts'

/** What an account may use: premium models, and daily tokens for it and for each of its agents; 0 is no limit. */
export interface Allowance { hasPremium: boolean, daily: { account: number, agent: number } }

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
