import type { Database } from '../platform/storage/sqlite/database.ts'
import { settled, type Work } from '../platform/storage/work.ts'
import type { Id } from '../../schema/common.ts'

/*
 * Deleted agents. They no longer have an owner, and everything that belongs to them is hidden from everybody, while a
 * job removes it in slices: src/privacy/deleting.sqlite.ts.
 */

/** Condition on rows with an `agent_id`: the agent was not deleted. */
export const OF_KEPT_AGENT = 'agent_id not in (select id from agents where owner_id is null)'

/** Detects the rows of such agents, for lists that would walk through all of them in one go: see partOf. */
export function hidingDeleted (db: Database): () => Work<(row: { agent: Id }) => Work<boolean>> {
  const all = db.column<[], Id>('select id from agents where owner_id is null')
  return function * () {
    const deleted = new Set(yield * all.all())
    return ({ agent }) => settled(deleted.has(agent))
  }
}
