import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Id } from '../../schema/common.ts'
import { damagedBlobs } from '../platform/storage/sqlite/blobs.ts'
import { secretsIn } from '../platform/storage/sqlite/secrets.ts'
import { flatMapped, mapped, type Work } from '../platform/storage/work.ts'
import { damagedSources } from '../search/damage.sqlite.ts'

const SAID = {
  text: (source: string) => `the text of ${source} is damaged: remove that source and add it again`,
  file: (source: string) => `the file of ${source} is damaged: remove that source and add it again`,
  change: (source: string) => `the record of the last change of ${source} is damaged: the next change replaces it, and nothing else is missing`
}

/**
 * Names the sources with stored data that is not, bit by bit, what was written; for a file of any version. Decrypts
 * everything sealed. `others`: another feature's damaged blobs.
 */
export function * damageIn (db: Statements, others: (blob: Id) => Work<string[]>): Work<string[]> {
  // A file of 0.3 has nothing sealed.
  if (!(yield * db.hasTable('secret_pages'))) return []
  const secrets = secretsIn(db)
  // A file of an older version knows of no changes.
  const hasChanges = yield * db.hasTable('knowledge_sources', 'change_blob')
  const kinds = ['text', 'file', ...(hasChanges ? ['change'] : [])]
  const ofBlob = db.objects<Id[], { id: Id, agent: Id, what: keyof typeof SAID }>(kinds.map((what) =>
    `select id, agent_id as agent, '${what}' as what from knowledge_sources where ${what}_blob = ?`).join(' union all '))
  const agentOf = db.column<[Id], Id>('select agent_id from knowledge_sources where id = ?')
  const blobs = yield * damagedBlobs(db, secrets)
  return [
    ...(yield * flatMapped(blobs, (blob) => ofBlob.all(...kinds.map(() => blob)))).map(({ id, agent, what }) => SAID[what](`source ${id} of agent ${agent}`)),
    ...yield * flatMapped(blobs, others),
    ...yield * mapped(yield * damagedSources(db, secrets),
      function * (id) { return `passages of source ${id} of agent ${yield * agentOf.get(id)} are damaged: train that source again` }
    )
  ]
}
