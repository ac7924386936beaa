import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../schema/common.ts'

/*
 * Agents that were deleted. Nobody owns them from then on, and whatever belongs to them is hidden from everybody, while
 * a job removes it in slices: src/privacy/deleting.sqlite.ts.
 */

/** As a condition on rows with an `agent_id`: of an agent that was not deleted. */
export const OF_KEPT_AGENT = 'agent_id not in (select id from agents where owner_id is null)'

/** Tells the rows of such agents, for lists that would walk through all of them at one stretch: see partOf. */
export function hidingDeleted (raw: BetterSqlite3.Database): () => (row: { agent: Id }) => boolean {
  const all = raw.prepare<[], Id>('select id from agents where owner_id is null').pluck()
  return () => {
    const deleted = new Set(all.all())
    return ({ agent }) => deleted.has(agent)
  }
}
