import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { SavedReply, SavedReplyDraft, SavedReplyPatch } from '../../schema/replies.ts'
import { route, type AccountAsker } from '../access/index.ts'
import type { Way } from '../platform/http/openapi.ts'
import { created, list, ok, removed } from '../platform/http/resources/answer.ts'
import { versionOf } from '../platform/http/resources/tags.ts'
import type { ReplyStore } from './store.ts'

const tag = 'People'
const who = ['REPLY_CONVERSATION'] as const
const params = Type.Object({ id: PathId })
/** The same message whether it does not exist or is a colleague's own. */
const missing = 'No such saved reply.'
const version = versionOf<SavedReply>('The saved reply')
const ReplyAnswer = success(SavedReply, { title: 'SavedReplyAnswer', description: 'The saved reply' })
const TAKEN: Way = ['taken', 'There is a saved reply "shipping" already. Choose another name, or change that one.']

/** Idempotency per user: a response may contain replies that are that user's alone. */
const idempotent = ({ caller }: AccountAsker) => String(caller.user.id)

/** Saved replies: list, create, read, change, remove. */
export const replyRoutes: FastifyPluginAsync<{ replies: ReplyStore }> = async (app, { replies }) => {
  app.route(route({
    get: '/saved_replies',
    id: 'listSavedReplies',
    tag,
    summary: 'List saved replies',
    description: "Returns the team's and your own, sorted by key.",
    who,
    answer: list(SavedReply, {
      title: 'SavedReplyList', description: 'The saved replies', placeOf: ({ key, id }) => `${key.toLowerCase()} ${id}`
    }, 'Saved replies retrieved successfully'),
    handle: ({ caller, owner }) => replies.list(owner, caller.user.id)
  }))

  app.route(route({
    post: '/saved_replies',
    id: 'createSavedReply',
    tag,
    summary: 'Create a saved reply',
    description: 'Available to everybody who answers or, with `scope: "mine"`, only to you.',
    who,
    body: SavedReplyDraft,
    idempotent,
    version,
    answer: created(ReplyAnswer, 'Reply saved successfully', { at: ({ id }) => `/v1/saved_replies/${id}` }),
    refuses: [TAKEN, ['limit_reached', 'There may be 500 saved replies. Remove one that is not needed.']],
    handle: ({ caller, owner, body, once }) => replies.add(owner, caller.user.id, body, once)
  }))

  app.route(route({
    get: '/saved_replies/:id',
    id: 'getSavedReply',
    tag,
    summary: 'Read a saved reply',
    who,
    params,
    version,
    missing,
    answer: ok(ReplyAnswer, 'Saved reply retrieved successfully'),
    handle: ({ caller, owner, params: { id } }) => replies.get(owner, caller.user.id, id)
  }))

  app.route(route({
    patch: '/saved_replies/:id',
    id: 'updateSavedReply',
    tag,
    summary: 'Update a saved reply',
    description: '`texts` are merged language by language; null removes one.',
    who,
    params,
    body: SavedReplyPatch,
    version,
    missing,
    answer: ok(ReplyAnswer, 'Saved reply updated successfully'),
    refuses: [TAKEN],
    handle: ({ caller, owner, params: { id }, body, match }) => replies.change(owner, caller.user.id, id, body, match)
  }))

  app.route(route({
    delete: '/saved_replies/:id',
    id: 'deleteSavedReply',
    tag,
    summary: 'Delete a saved reply',
    who,
    params,
    version,
    missing,
    answer: removed('Saved reply removed successfully'),
    handle: ({ caller, owner, params: { id }, match }) => replies.remove(owner, caller.user.id, id, match)
  }))
}
