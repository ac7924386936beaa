import { hash } from 'node:crypto'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Id } from '../../../schema/common.ts'
import type { KnownThen } from '../../../schema/versions.ts'

/** Summarises what an agent knows, without its contents. */
export function knowledgeIn (db: Database): (agent: Id) => Work<KnownThen> {
  const known = db.objects<[Id], { ids: string, what: string | null }>(`
    select json_group_array(id) as ids, group_concat(id || ' ' || coalesce(cast(text_blob as text), '') || ' ' || coalesce(cast(file_blob as text), '') || ' ' || total_training_usage_bytes || ' ' || training_status) as what
    from (select * from knowledge_sources where agent_id = ? and is_selected = 1 order by id) as chosen`)
  const happened = db.column<[Id], number>(
    'select coalesce(max(id), 0) from knowledge_events where agent_id = ?'
  )
  return function * (agent) {
    const { ids, what } = (yield * known.get(agent))!
    return {
      revision: (yield * happened.get(agent))!,
      sources: JSON.parse(ids) as Id[],
      digest: hash('sha256', what ?? '', 'base64url').slice(0, 22)
    }
  }
}
