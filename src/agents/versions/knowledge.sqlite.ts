import { hash } from 'node:crypto'
import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import type { KnownThen } from '../../../schema/versions.ts'

/** Tells what an agent knows, without a word of it. */
export function knowledgeIn (raw: BetterSqlite3.Database): (agent: Id) => KnownThen {
  const known = raw.prepare<[Id], { ids: string, what: string | null }>(`
    select json_group_array(id) as ids, group_concat(id || ' ' || coalesce(text_blob, '') || ' ' || coalesce(file_blob, '') || ' ' || total_training_usage_bytes || ' ' || training_status) as what
    from (select * from knowledge_sources where agent_id = ? and is_selected order by id)`)
  const happened = raw.prepare<[Id], number>(
    'select coalesce(max(id), 0) from knowledge_events where agent_id = ?'
  ).pluck()
  return (agent) => {
    const { ids, what } = known.get(agent)!
    return {
      revision: happened.get(agent)!,
      sources: JSON.parse(ids) as Id[],
      digest: hash('sha256', what ?? '', 'base64url').slice(0, 22)
    }
  }
}
