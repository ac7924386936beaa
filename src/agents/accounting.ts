import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/**
 * Consistency check: an agent's training bytes are exactly those of its selected sources. Returns the agents where they
 * are not; some sources of a deleted agent may already be removed.
 */
export function * trainingBytesFaults (db: Statements): Work<string[]> {
  const wrong = (yield * db.objects(`
    select id, kept, counted from (
      select agents.id as id, agents.total_training_usage_bytes as kept, coalesce(sum(sources.total_training_usage_bytes), 0) as counted
      from agents left join knowledge_sources as sources on sources.agent_id = agents.id and sources.is_selected = 1
      where agents.owner_id is not null group by agents.id) as sums
    where kept <> counted order by id limit 5`)
    .all()) as Array<{ id: number, kept: number, counted: number }>
  return wrong.map(
    ({ id, kept, counted }) => `agent ${id} is charged ${kept} training bytes and its sources have ${counted}`
  )
}
