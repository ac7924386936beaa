import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { DeletedName, success } from '../../schema/envelopes.ts'
import { Note, NoteDraft } from '../../schema/handoff.ts'
import { inConversation, noConversation } from '../conversations/index.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../platform/http/resources/cursors.ts'
import { Refusal } from '../platform/errors.ts'
import { refusal } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { NoteStore } from './notes.sqlite.ts'

const tags = ['People']
const NoteAnswer = success(Note, { title: 'NoteAnswer', description: 'The note' })
const inNote = Type.Object({ ...inConversation.properties, note: Note.properties.id })
const REPLYING = ['REPLY_CONVERSATION'] as const

/** What the team notes on conversations: read, noted, removed. Visitors never see it. */
export const noteRoutes: FastifyPluginAsyncTypebox<{ notes: NoteStore }> = async (app, { notes }) => {
  app.get(
    '/conversations/:id/notes',
    {
      schema: {
        tags,
        operationId: 'listNotes',
        summary: 'Read the notes on a conversation',
        description: 'Oldest first. Visitors never see them.',
        params: inConversation,
        querystring: InPartsIfAsked,
        response: { 200: listOf(Note, { title: 'NoteList', description: 'The notes' }) }
      },
      config: { permit: REPLYING }
    },
    async (request) => {
      const { caller: { account }, params: { id } } = request
      const all = (await notes.list(account.id, id)) ?? noConversation()
      return {
        status: 'success' as const,
        message: 'Notes retrieved successfully',
        ...partIfAsked(request, account.id, all, (note) => `${note.created_at} ${note.id}`)
      }
    }
  )

  app.post(
    '/conversations/:id/notes',
    {
      schema: {
        tags,
        operationId: 'createNote',
        summary: 'Note something on a conversation',
        description: 'For the team; visitors never see it.',
        params: inConversation,
        body: NoteDraft,
        response: {
          201: NoteAnswer,
          409: refusal('limit_reached', 'A conversation may have 500 notes. Remove one that is not needed.')
        }
      },
      config: { permit: REPLYING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body: { text }
      } = request
      const { answer, replayed } =
        (await notes.add(caller.account.id, id, caller.user.id, text, onceOf(request))) ?? noConversation()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply.code(201).header('location', `/v1/conversations/${id}/notes/${answer.id}`).send({
        status: 'success', message: 'Note kept', data: answer
      })
    }
  )

  app.get(
    '/conversations/:id/notes/:note',
    {
      schema: {
        tags,
        operationId: 'getNote',
        summary: 'Read a note',
        params: inNote,
        response: { 200: NoteAnswer }
      },
      config: { permit: REPLYING }
    },
    async ({ caller, params: { id, note } }) => {
      const all = (await notes.list(caller.account.id, id)) ?? noConversation()
      const data = all.find((one) => one.id === note) ?? noNote()
      return { status: 'success' as const, message: 'Note retrieved successfully', data }
    }
  )

  app.delete(
    '/conversations/:id/notes/:note',
    {
      schema: {
        tags,
        operationId: 'deleteNote',
        summary: 'Remove a note',
        params: inNote,
        response: { 200: DeletedName }
      },
      config: { permit: REPLYING }
    },
    async ({ caller, params: { id, note } }) => {
      if (!(await notes.remove(caller.account.id, id, note))) noNote()
      return { status: 'success' as const, message: 'Note removed', data: { id: note } }
    }
  )
}

function noNote (): never {
  throw new Refusal('not_found', 'No such note.')
}
