import { asc, eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { knowledgeFolders, knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import type { FolderRecord } from '../../schema/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Needs, Rows } from './rows.ts'
import type { KnowledgeStore } from './store.ts'

type FolderStore = Pick<KnowledgeStore, 'folders' | 'addFolder' | 'updateFolder' | 'removeFolder'>

/** The folders part of the knowledge store. */
export function folderStore ({ db, clock, onceOnly }: Needs, rows: Rows): FolderStore {
  const { orm, raw } = db
  const within = raw.prepare<[Id, Id], number>(`with recursive above(id) as (
    select ? union select parent_id from knowledge_folders join above on knowledge_folders.id = above.id where parent_id is not null
  ) select 1 from above where id = ?`).pluck()

  function find (owner: Id, agent: Id, id: Id): FolderRecord | undefined {
    const folder = orm.select().from(knowledgeFolders).where(eq(knowledgeFolders.id, id)).get()
    return folder?.owner === owner && folder.agent === agent ? folder : undefined
  }

  return {
    folders: async (owner, agent) => db.read(() => rows.owns(owner, agent)
      ? orm.select().from(knowledgeFolders).where(eq(knowledgeFolders.agent, agent)).orderBy(asc(knowledgeFolders.id)).all()
      : undefined),

    addFolder: (owner, agent, name, parent, once) => db.atomically(() => {
      if (!rows.owns(owner, agent)) return undefined
      return onceOnly.run(owner, once, () => rows.insertFolder(agent, owner, name, rows.folder(agent, parent, 'parent')))
    }),

    updateFolder: (owner, agent, id, { name, parent }) => db.atomically(() => {
      const folder = find(owner, agent, id)
      if (!folder) return undefined
      if (parent !== undefined && parent !== folder.parent) {
        if (folder.parent === null) throw new Refusal('conflict', 'The root folder cannot be moved.')
        rows.folder(agent, parent, 'parent')
        if (within.get(parent, id) === 1) throw new Refusal('conflict', 'A folder cannot be moved into itself.')
      }
      return orm.update(knowledgeFolders).set({ name: name ?? folder.name, parent: parent ?? folder.parent, updated_at: timestamp(clock.micros()) })
        .where(eq(knowledgeFolders.id, id)).returning().get()
    }),

    removeFolder: (owner, agent, id) => db.atomically(() => {
      const folder = find(owner, agent, id)
      if (!folder) return false
      if (folder.parent === null) throw new Refusal('conflict', 'The root folder cannot be removed.')
      orm.update(knowledgeSources).set({ agent_knowledge_folder: folder.parent }).where(eq(knowledgeSources.agent_knowledge_folder, id)).run()
      orm.update(knowledgeFolders).set({ parent: folder.parent }).where(eq(knowledgeFolders.parent, id)).run()
      orm.delete(knowledgeFolders).where(eq(knowledgeFolders.id, id)).run()
      rows.moved(owner, agent)
      return true
    }, { frees: true })
  }
}
