import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { SeenByVisitor, SeenDraft } from '../../../schema/handoff.ts'
import { WidgetTypingDraft } from '../../../schema/widget.ts'
import { NO_CONVERSATION as missing } from '../../conversations/index.ts'
import { CLOSED, NO_HANDOFF, type SeenStore } from '../../handoff/index.ts'
import { accepted, ok } from '../../platform/http/resources/answer.ts'
import { conversationOf, conversationShown, openToSites, visitorRoute } from '../visitor.ts'
import { ConversationAnswer, mayBegin, NOT_YET, type VisitorRoutesNeeds } from './visitor.ts'

const tag = 'Widget'
const who = 'visitor'
const params = Type.Object({ id: ConversationId })

const SeenAnswer = success(
  SeenByVisitor, { title: 'WidgetSeenAnswer', description: 'How far the visitor has seen it' }
)

type Needs = Pick<VisitorRoutesNeeds, 'store' | 'conversations' | 'throttle' | 'nameForVisitors' | 'learnWhereabouts'> & {
  seen: Pick<SeenStore, 'markByVisitor'>
}

/**
 * Visitors' hand-off to people: requesting one, cancelling the wait, and typing and read status shown to the person.
 */
export const visitorPeopleRoutes: FastifyPluginAsync<Needs> = async (app, needs) => {
  const { store, conversations: { store: kept, talk, typing }, throttle } = needs
  const cors = openToSites(store)
  const beginning = mayBegin(needs)
  const show = conversationShown(needs.nameForVisitors)

  app.route(visitorRoute({
    post: '/conversations/:id/handoff',
    id: 'requestOwnHandoff',
    tag,
    summary: 'Request a person',
    description:
      'If somebody is on duty, the conversation waits for them; otherwise a ticket is opened and the agent continues.',
    who,
    cors,
    params,
    missing,
    answer: ok(ConversationAnswer, 'A person was asked for', { show }),
    refuses: [NO_HANDOFF, CLOSED, ...NOT_YET],
    handle: async ({ visitor, owner, params: { id }, request }) => {
      await beginning(visitor, id)
      // Each request is answered with a message.
      await throttle.message(visitor.id, request.ip)
      await needs.learnWhereabouts(visitor, request)
      return await talk.handOver(owner, id, { type: 'asked', reason: 'visitor_asked' })
    }
  }))

  app.route(visitorRoute({
    delete: '/conversations/:id/handoff',
    id: 'cancelOwnHandoff',
    tag,
    summary: 'Cancel the request for a person',
    who,
    cors,
    params,
    missing,
    answer: ok(ConversationAnswer, 'The agent goes on', { show }),
    refuses: [['not_waiting', 'This conversation is not waiting for a person.']],
    handle: async ({ visitor, owner, params: { id } }) => {
      await conversationOf(kept, visitor, id)
      return await talk.handOver(owner, id, { type: 'cancelled' })
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/typing',
    id: 'tellOwnTyping',
    tag,
    summary: 'Report that the visitor is typing',
    description:
      'Notifies those who watch the conversation; nothing is stored. `text` is what has been typed so far; only ' +
      "the account's members see it, in GET /v1/events.",
    who,
    cors,
    params,
    body: WidgetTypingDraft,
    // The body is optional: without it only the fact of typing is reported.
    fastify: { preValidation: async (request) => { request.body ??= {} } },
    answer: accepted(
      success(Type.Object({ id: Type.String() }), { title: 'WidgetTypingTold', description: 'Reported' }), 'Told'
    ),
    refuses: NOT_YET,
    handle: async ({ visitor, owner, params: { id }, body: { text } }) => {
      // The text of visitors who have yet to consent is not forwarded.
      await (text === undefined ? conversationOf(kept, visitor, id) : beginning(visitor, id))
      typing.say(owner, id, 'visitor', text)
      return { id }
    }
  }))

  app.route(visitorRoute({
    put: '/conversations/:id/seen',
    id: 'tellOwnSeen',
    tag,
    summary: 'Report what the visitor has seen',
    description:
      'Marks the conversation as seen up to a message that the visitor has had on screen. A mark never moves back, ' +
      "and never past the newest message; the account's members see it below their messages.",
    who,
    cors,
    params,
    body: SeenDraft,
    missing,
    answer: ok(SeenAnswer, 'Marked as seen'),
    handle: async ({ visitor, owner, params: { id }, body: { up_to: upTo } }) => {
      await conversationOf(kept, visitor, id)
      return await needs.seen.markByVisitor(owner, id, upTo)
    }
  }))
}
