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
  SeenState, { title: 'SeenStateAnswer', description: 'Up to where the caller has seen it, and its visitor' }
)
const SeenAnswer = success(Seen, { title: 'SeenAnswer', description: 'Up to where the caller has seen it' })
const UnreadAnswer = success(Unread, { title: 'UnreadAnswer', description: 'What the caller has not seen yet' })

/** What members have seen of the conversations that they hold. A visitor sees that of the person who answers. */
export const seenRoutes: FastifyPluginAsync<{ seen: SeenStore }> = async (app, { seen }) => {
  app.route(route({
    get: '/conversations/:id/seen',
    id: 'getSeen',
    tag,
    summary: 'Up to where the caller has seen a conversation',
    description: '0 in `up_to` where they have seen nothing of it. `visitor`: up to where its visitor has, and when.',
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
      'Up to a message, for the caller alone. A mark never goes back, and never beyond the newest message. Whoever watches GET /v1/events is told with `seen`; the visitor sees it of the person who answers.',
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
    summary: 'What the caller has not seen yet',
    description:
      'Conversations that the caller holds, in which the visitor waits for a reply and has written since the caller saw them last. GET /v1/events tells what changes.',
    who,
    answer: ok(UnreadAnswer, 'Unread conversations retrieved successfully'),
    handle: async ({ caller, owner }) => ({ conversations: await seen.unread(owner, caller.user.id) })
  }))
}
