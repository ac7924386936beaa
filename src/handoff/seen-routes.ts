import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { Seen, SeenDraft, SeenState, Unread } from '../../schema/handoff.ts'
import { route } from '../access/index.ts'
import { inConversation, NO_CONVERSATION as missing } from '../conversations/index.ts'
import { ok } from '../platform/http/resources/answer.ts'
import type { SeenStore } from './seen.sqlite.ts'

const tag = 'People'
const who = ['REPLY_CONVERSATION'] as const
const StateAnswer = success(
  SeenState, { title: 'SeenStateAnswer', description: 'How far the caller and the visitor have seen it' }
)
const SeenAnswer = success(Seen, { title: 'SeenAnswer', description: 'How far the caller has seen it' })
const UnreadAnswer = success(Unread, { title: 'UnreadAnswer', description: 'What the caller has not seen yet' })

/** What members have seen of the conversations that they hold. A visitor sees that of the person who answers. */
export const seenRoutes: FastifyPluginAsync<{ seen: SeenStore }> = async (app, { seen }) => {
  app.route(route({
    get: '/conversations/:id/seen',
    id: 'getSeen',
    tag,
    summary: "Get a conversation's read state",
    description:
      '`up_to` is 0 if the caller has seen nothing of it. `visitor`: up to which message the visitor has seen it, ' +
      'and when.',
    who,
    params: inConversation,
    missing,
    answer: ok(StateAnswer, 'Mark retrieved successfully'),
    handle: ({ caller, owner, params: { id } }) => seen.of(owner, id, caller.user.id)
  }))

  app.route(route({
    put: '/conversations/:id/seen',
    id: 'markSeen',
    audit: 'never',
    tag,
    summary: 'Mark a conversation as seen',
    description:
      'Marks it up to a message, for the caller only. A mark never moves back, and never past the newest message. ' +
      'Those who watch GET /v1/events receive `seen`; the visitor sees the mark of the person who answers.',
    who,
    params: inConversation,
    body: SeenDraft,
    missing,
    answer: ok(SeenAnswer, 'Marked as seen'),
    handle: ({ caller, owner, params: { id }, body: { up_to: upTo } }) => seen.mark(owner, id, caller.user.id, upTo)
  }))

  app.route(route({
    get: '/me/unread',
    id: 'getUnread',
    tag,
    summary: 'List your unread conversations',
    description:
      'Returns conversations that the caller holds in which the visitor waits for a reply and has written since ' +
      'the caller last looked. GET /v1/events reports changes.',
    who,
    answer: ok(UnreadAnswer, 'Unread conversations retrieved successfully'),
    handle: async ({ caller, owner }) => ({ conversations: await seen.unread(owner, caller.user.id) })
  }))
}
