import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { Note, NoteDraft } from '../../schema/handoff.ts'
import { route } from '../access/index.ts'
import { inConversation, noConversation } from '../conversations/index.ts'
import { created, list, ok, removedName } from '../platform/http/resources/answer.ts'
import type { NoteStore } from './notes.sqlite.ts'

const tag = 'People'
const who = ['REPLY_CONVERSATION'] as const
const missing = 'No such note.'
const NoteAnswer = success(Note, { title: 'NoteAnswer', description: 'The note' })
const inNote = Type.Object({ ...inConversation.properties, note: Note.properties.id })

/** Team notes on conversations: read, added, removed. Visitors never see them. */
export const noteRoutes: FastifyPluginAsync<{ notes: NoteStore }> = async (app, { notes }) => {
  app.route(route({
    get: '/conversations/:id/notes',
    id: 'listNotes',
    tag,
    summary: "List a conversation's notes",
    description: 'Returns notes, oldest first. Visitors never see them.',
    who,
    params: inConversation,
    answer: list(Note, {
      title: 'NoteList', description: 'The notes', placeOf: (note) => `${note.created_at} ${note.id}`
    }, 'Notes retrieved successfully'),
    handle: async ({ owner, params: { id } }) => (await notes.list(owner, id)) ?? noConversation()
  }))

  app.route(route({
    post: '/conversations/:id/notes',
    id: 'createNote',
    tag,
    summary: 'Add a note to a conversation',
    description: 'For the team; visitors never see it.',
    who,
    params: inConversation,
    body: NoteDraft,
    idempotent: true,
    answer: created(NoteAnswer, 'Note kept'),
    refuses: [['limit_reached', 'A conversation may have 500 notes. Remove one that is not needed.']],
    handle: async ({ caller, owner, params: { id }, body: { text }, once }) =>
      (await notes.add(owner, id, caller.user.id, text, once)) ?? noConversation()
  }))

  app.route(route({
    get: '/conversations/:id/notes/:note',
    id: 'getNote',
    tag,
    summary: 'Read a note',
    who,
    params: inNote,
    missing,
    answer: ok(NoteAnswer, 'Note retrieved successfully'),
    handle: async ({ owner, params: { id, note } }) =>
      ((await notes.list(owner, id)) ?? noConversation()).find((one) => one.id === note)
  }))

  app.route(route({
    delete: '/conversations/:id/notes/:note',
    id: 'deleteNote',
    tag,
    summary: 'Delete a note',
    who,
    params: inNote,
    missing,
    answer: removedName('Note removed'),
    handle: ({ owner, params: { id, note } }) => notes.remove(owner, id, note)
  }))
}
