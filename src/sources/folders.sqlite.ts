import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { knowledgeFolders, knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { changedFolder, emptiedInto, newFolder } from './folders.ts'
import type { Needs, SourceRows } from './rows.ts'
import type { KnowledgeStore } from './store.ts'

type FolderStore = Pick<KnowledgeStore, 'folders' | 'countedFolders' | 'addFolder' | 'updateFolder' | 'removeFolder'>

/** Sources whose passages are counted in one go. */
const COUNTED_AT_ONCE = 1000

/** The folders part of the knowledge store: load, decide, write. */
export function folderStore ({ db, clock, idempotency }: Needs, rows: SourceRows): FolderStore {
  const { orm } = db
  const passages = db.objects<[Id, Id, number], { folder: Id, passages: number | null, last: Id }>(`
    select folder_id as folder, cast(sum(cast(metadata ->> 'no_of_passages' as bigint)) as bigint) as passages, max(id) as last
    from (select id, folder_id, metadata from knowledge_sources where agent_id = ? and id > ? order by id limit ?) as part
    group by folder_id`)

  const folders: FolderStore['folders'] = async (owner, agent) => db.read(function * () {
    return (yield * rows.owns(owner, agent)) ? (yield * rows.folders(agent)) : undefined
  })

  /** The number of passages in each folder's sources; others may run between batches. */
  async function passagesOf (agent: Id): Promise<Map<Id, number>> {
    const counted = new Map<Id, number>()
    for (let after = 0; ; await nextTurn()) {
      const part = await db.read(() => passages.all(agent, after, COUNTED_AT_ONCE))
      if (part.length === 0) return counted
      for (const { folder, passages: n } of part) counted.set(folder, (counted.get(folder) ?? 0) + (n ?? 0))
      after = Math.max(...part.map(({ last }) => last))
    }
  }

  /** A folder among all those of its agent; undefined when it is not there or somebody else's. */
  function * find (owner: Id, agent: Id, id: Id) {
    const folders = yield * rows.folders(agent)
    const folder = folders.find((one) => one.id === id && one.owner === owner)
    return folder && { folder, folders }
  }

  return {
    folders,

    async countedFolders (owner, agent) {
      const found = await folders(owner, agent)
      if (!found) return undefined
      const counted = await passagesOf(agent)
      return found.map((folder) => ({ ...folder, no_of_passages: counted.get(folder.id) ?? 0 }))
    },

    addFolder: (owner, agent, name, parent, once) => db.atomically(function * () {
      if (!(yield * rows.owns(owner, agent))) return undefined
      return yield * idempotency.run(owner, once, function * () {
        const now = timestamp(clock.micros())
        const place = newFolder(yield * rows.folders(agent), name, parent)
        return yield * db.get(orm
          .insert(knowledgeFolders)
          .values({ agent, owner, ...place, created_at: now, updated_at: now })
          .returning())
      })
    }),

    updateFolder: (owner, agent, id, change, match) => db.atomically(function * () {
      const kept = yield * find(owner, agent, id)
      if (!kept) return undefined
      match?.(kept.folder)
      const place = changedFolder(kept.folders, kept.folder, change)
      return yield * db.get(orm
        .update(knowledgeFolders)
        .set({ ...place, updated_at: timestamp(clock.micros()) })
        .where(eq(knowledgeFolders.id, id))
        .returning())
    }),

    removeFolder: (owner, agent, id, match) => db.atomically(function * () {
      const kept = yield * find(owner, agent, id)
      if (!kept) return false
      match?.(kept.folder)
      const parent = emptiedInto(kept.folders, kept.folder)
      const now = clock.micros()
      yield * db.run(orm
        .update(knowledgeSources)
        .set({ agent_knowledge_folder: parent, version: now, updated_at: timestamp(now) })
        .where(eq(knowledgeSources.agent_knowledge_folder, id)))
      yield * db.run(orm.update(knowledgeFolders).set({ parent }).where(eq(knowledgeFolders.parent, id)))
      yield * db.run(orm.delete(knowledgeFolders).where(eq(knowledgeFolders.id, id)))
      yield * rows.moved(owner, agent)
      return true
    }, { frees: true })
  }
}
