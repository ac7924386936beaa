import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { Refusal } from '../platform/errors.ts'
import type { Room } from './store.ts'

/** Counts training bytes, inside the transaction of whatever changes them. */
export interface Accounting {
  room (agent: Id): Room
  /**
   * Adds `bytes` (or takes them away, when negative) to the agent's count.
   * Throws `training_limit_exceeded`, naming bytes used, asked for and allowed, when more is added than fits.
   */
  add (agent: Id, bytes: number): void
}

/** The counts in the agents table. `ceilingOf` says how many bytes an agent of a tier may have. */
export function accountingIn (raw: BetterSqlite3.Database, ceilingOf: (tier: Tier) => number): Accounting {
  const find = raw.prepare<[Id], { used: number, tier: Tier }>(
    'select total_training_usage_bytes as used, tier from agents join users on users.id = owner_id where agents.id = ?')
  const write = raw.prepare('update agents set total_training_usage_bytes = total_training_usage_bytes + ? where id = ?')

  function room (agent: Id): Room {
    const { used, tier } = find.get(agent)!
    return { used, allowed: ceilingOf(tier) }
  }

  return {
    room,
    add (agent, bytes) {
      if (bytes > 0) {
        const { used, allowed } = room(agent)
        if (used + bytes > allowed) throw overCeiling({ used, allowed }, bytes)
      }
      if (bytes !== 0) write.run(bytes, agent)
    }
  }
}

/** The refusal of more than fits. */
export function overCeiling ({ used, allowed }: Room, asked: number): Refusal {
  return new Refusal('training_limit_exceeded',
    `This would add ${asked} bytes of text; the agent uses ${used} of ${allowed}. Remove or deselect a source, or add less.`,
    { fields: { used, asked, allowed } })
}
