import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../../schema/common.ts'
import { Deleted, success } from '../../../schema/envelopes.ts'
import { Folder, FolderDraft, FolderPatch } from '../../../schema/knowledge.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../../platform/http/resources/tags.ts'
import { Refusal } from '../../platform/errors.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { refusals, type Way } from '../../platform/http/openapi.ts'
import { noAgent } from '../../agents/index.ts'
import type { KnowledgeStore } from '../store.ts'

const FolderAnswer = success(Folder, { title: 'KnowledgeFolderAnswer', description: 'The folder' })
const inAgent = Type.Object({ id: PathId })
const inFolder = Type.Object({ id: PathId, fid: PathId })
const tags = ['Knowledge']
const THIS = 'The folder'
const TAKEN: Way = ['taken', 'There is a folder named "Shop" here already. Choose another name.']

/** Folders of an agent's sources. */
export const folderRoutes: FastifyPluginAsyncTypebox<{ knowledge: KnowledgeStore }> = async (app, { knowledge }) => {
  app.get(
    '/agents/:id/knowledge_folders',
    {
      schema: {
        tags,
        operationId: 'listKnowledgeFolders',
        summary: 'List knowledge folders',
        description: 'The one without a parent is the root folder.',
        params: inAgent,
        querystring: InPartsIfAsked,
        response: { 200: listOf(Folder, { title: 'KnowledgeFolderList', description: 'The folders' }) }
      },
      config: { permit: 'any user' }
    },
    async (request) => {
      const { caller: { account }, params: { id } } = request
      const folders = (await knowledge.folders(account.id, id)) ?? noAgent()
      return {
        status: 'success' as const,
        message: 'Knowledge folders retrieved successfully',
        ...partIfAsked(request, account.id, folders, (folder) => folder.id)
      }
    }
  )

  app.post(
    '/agents/:id/knowledge_folders',
    {
      schema: {
        tags,
        operationId: 'createKnowledgeFolder',
        summary: 'Make a knowledge folder',
        params: inAgent,
        body: FolderDraft,
        response: { 201: FolderAnswer, 409: refusals(TAKEN) }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body: { name, parent }
      } = request
      const { answer, replayed } =
        (await knowledge.addFolder(caller.account.id, id, name, parent, onceOf(request))) ?? noAgent()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .header('location', `/v1/agents/${id}/knowledge_folders/${answer.id}`)
        .send({ status: 'success', message: 'Knowledge folder created successfully', data: answer })
    }
  )

  app.get(
    '/agents/:id/knowledge_folders/:fid',
    {
      schema: {
        tags,
        operationId: 'getKnowledgeFolder',
        summary: 'Read a knowledge folder',
        params: inFolder,
        response: { 200: FolderAnswer, 304: Unchanged }
      },
      config: { permit: 'any user', heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, params: { id, fid } } = request
      const folders = (await knowledge.folders(caller.account.id, id)) ?? noAgent()
      const data = folders.find((folder) => folder.id === fid) ?? noFolder()
      return answerTagged(request, reply, tagOf(data), 'Knowledge folder retrieved successfully', data)
    }
  )

  app.put(
    '/agents/:id/knowledge_folders/:fid',
    {
      schema: {
        tags,
        operationId: 'updateKnowledgeFolder',
        summary: 'Rename or move a knowledge folder',
        params: inFolder,
        body: FolderPatch,
        response: {
          200: FolderAnswer,
          409: refusals(
            ['folder_cycle', 'A folder cannot be moved into itself.'],
            ['root_folder', 'The root folder cannot be moved.'],
            TAKEN
          )
        }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, params: { id, fid }, body } = request
      const data =
        (await knowledge.updateFolder(caller.account.id, id, fid, body, matching(request, THIS))) ?? noFolder()
      return answerTagged(request, reply, tagOf(data), 'Knowledge folder updated successfully', data)
    }
  )

  app.delete(
    '/agents/:id/knowledge_folders/:fid',
    {
      schema: {
        tags,
        operationId: 'deleteKnowledgeFolder',
        summary: 'Remove a knowledge folder',
        description: 'What is in it moves to the folder it was in.',
        params: inFolder,
        response: { 200: Deleted, 409: refusals(['root_folder', 'The root folder cannot be removed.'], TAKEN) }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['If-Match'] }
    },
    async (request) => {
      const { caller, params: { id, fid } } = request
      if (!(await knowledge.removeFolder(caller.account.id, id, fid, matching(request, THIS)))) noFolder()
      return { status: 'success' as const, message: 'Knowledge folder deleted successfully', data: { id: fid } }
    }
  )
}

function noFolder (): never {
  throw new Refusal('not_found', 'No such knowledge folder.')
}
