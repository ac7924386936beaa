import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../schema/common.ts'
import { damagedBlobs } from '../platform/storage/sqlite/blobs.ts'
import { secretsIn } from '../platform/storage/sqlite/secrets.ts'
import { damagedSources } from '../search/damage.sqlite.ts'

/**
 * Names the sources of which something that is stored is not, bit by bit, what was written; of a file of any version.
 * Opens all that is sealed.
 * `others`: of another feature, what is damaged with a blob.
 */
export function damageIn (raw: BetterSqlite3.Database, others: (blob: Id) => string[]): string[] {
  // A file of 0.3 keeps nothing sealed.
  if (!raw.prepare("select 1 from sqlite_schema where name = 'secret_pages'").get()) return []
  const secrets = secretsIn(raw)
  const ofBlob = raw.prepare<[Id, Id, Id], { id: Id, agent: Id, what: string }>(`
    select id, agent_id as agent, case when text_blob = ? then 'text' else 'file' end as what from knowledge_sources where text_blob = ? or file_blob = ?`)
  const agentOf = raw.prepare<[Id], Id>('select agent_id from knowledge_sources where id = ?').pluck()
  const blobs = damagedBlobs(raw, secrets)
  return [
    ...blobs
      .flatMap((blob) => ofBlob.all(blob, blob, blob))
      .map(
        ({ id, agent, what }) =>
          `the ${what} of source ${id} of agent ${agent} is damaged: remove that source and add it again`
      ),
    ...blobs.flatMap(others),
    ...damagedSources(raw, secrets).map(
      (id) => `passages of source ${id} of agent ${agentOf.get(id)} are damaged: train that source again`
    )
  ]
}
