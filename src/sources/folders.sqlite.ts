import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { knowledgeFolders, knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import { changedFolder, emptiedInto, newFolder } from './folders.ts'
import type { Needs, SourceRows } from './rows.ts'
import type { KnowledgeStore } from './store.ts'

type FolderStore = Pick<KnowledgeStore, 'folders' | 'addFolder' | 'updateFolder' | 'removeFolder'>

/** The folders part of the knowledge store: load, decide, write. */
export function folderStore ({ db, clock, onceOnly }: Needs, rows: SourceRows): FolderStore {
  const { orm } = db

  /** A folder among all those of its agent; undefined when it is not there or somebody else's. */
  function * find (owner: Id, agent: Id, id: Id) {
    const folders = yield * rows.folders(agent)
    const folder = folders.find((one) => one.id === id && one.owner === owner)
    return folder && { folder, folders }
  }

  return {
    folders: async (owner, agent) => db.read(function * () {
      return (yield * rows.owns(owner, agent)) ? (yield * rows.folders(agent)) : undefined
    }),

    addFolder: (owner, agent, name, parent, once) => db.atomically(function * () {
      if (!(yield * rows.owns(owner, agent))) return undefined
      return yield * onceOnly.run(owner, once, function * () {
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
