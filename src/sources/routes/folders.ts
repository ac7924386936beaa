import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { Folder, FolderDraft, FolderPatch } from '../../../schema/knowledge.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT, noAgent } from '../../agents/index.ts'
import { created, list, ok, removed } from '../../platform/http/resources/answer.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import type { Way } from '../../platform/http/openapi.ts'
import type { KnowledgeStore } from '../store.ts'

const tag = 'Knowledge'
const CHANGING = ['MANAGE_KNOWLEDGE_BASE'] as const
const inAgent = Type.Object({ id: PathId })
const inFolder = Type.Object({ id: PathId, fid: PathId })
const missing = 'No such knowledge folder.'
const version = versionOf<Folder>('The folder')
const FolderAnswer = success(Folder, { title: 'KnowledgeFolderAnswer', description: 'The folder' })
const TAKEN: Way = ['taken', 'There is a folder named "Shop" here already. Choose another name.']

/** Folders of an agent's sources. */
export const folderRoutes: FastifyPluginAsync<{ knowledge: KnowledgeStore }> = async (app, { knowledge }) => {
  app.route(route({
    get: '/agents/:id/knowledge_folders',
    id: 'listKnowledgeFolders',
    tag,
    summary: 'List knowledge folders',
    description: 'The folder without a parent is the root folder.',
    who: 'any user',
    params: inAgent,
    missing: NO_AGENT,
    answer: list(Folder, {
      title: 'KnowledgeFolderList', description: 'The folders', placeOf: ({ id }) => id
    }, 'Knowledge folders retrieved successfully'),
    handle: ({ owner, params: { id } }) => knowledge.countedFolders(owner, id)
  }))

  app.route(route({
    post: '/agents/:id/knowledge_folders',
    id: 'createKnowledgeFolder',
    tag,
    summary: 'Create a knowledge folder',
    who: CHANGING,
    params: inAgent,
    body: FolderDraft,
    idempotent: true,
    missing: NO_AGENT,
    answer: created(FolderAnswer, 'Knowledge folder created successfully'),
    refuses: [TAKEN],
    handle: ({ owner, params: { id }, body: { name, parent }, once }) =>
      knowledge.addFolder(owner, id, name, parent, once)
  }))

  app.route(route({
    get: '/agents/:id/knowledge_folders/:fid',
    id: 'getKnowledgeFolder',
    tag,
    summary: 'Read a knowledge folder',
    who: 'any user',
    params: inFolder,
    version,
    missing,
    answer: ok(FolderAnswer, 'Knowledge folder retrieved successfully'),
    handle: async ({ owner, params: { id, fid } }) =>
      ((await knowledge.folders(owner, id)) ?? noAgent()).find((folder) => folder.id === fid)
  }))

  app.route(route({
    put: '/agents/:id/knowledge_folders/:fid',
    id: 'updateKnowledgeFolder',
    tag,
    summary: 'Rename or move a knowledge folder',
    who: CHANGING,
    params: inFolder,
    body: FolderPatch,
    version,
    missing,
    answer: ok(FolderAnswer, 'Knowledge folder updated successfully'),
    refuses: [
      ['folder_cycle', 'A folder cannot be moved into itself.'],
      ['root_folder', 'The root folder cannot be moved.'],
      TAKEN
    ],
    handle: ({ owner, params: { id, fid }, body, match }) => knowledge.updateFolder(owner, id, fid, body, match)
  }))

  app.route(route({
    delete: '/agents/:id/knowledge_folders/:fid',
    id: 'deleteKnowledgeFolder',
    tag,
    summary: 'Delete a knowledge folder',
    description: 'Its contents move to its parent folder.',
    who: CHANGING,
    params: inFolder,
    version,
    missing,
    answer: removed('Knowledge folder deleted successfully'),
    refuses: [['root_folder', 'The root folder cannot be removed.'], TAKEN],
    handle: ({ owner, params: { id, fid }, match }) => knowledge.removeFolder(owner, id, fid, match)
  }))
}
