import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { SeenByVisitor, SeenDraft } from '../../../schema/handoff.ts'
import { WidgetTypingDraft } from '../../../schema/widget.ts'
import { NO_CONVERSATION as missing } from '../../conversations/index.ts'
import { CLOSED, NO_HANDOFF, type SeenStore } from '../../handoff/index.ts'
import { accepted, ok } from '../../platform/http/resources/answer.ts'
import { conversationOf, conversationShown, openToSites } from '../visitor.ts'
import { visitorRoute } from './route.ts'
import { ConversationAnswer, mayBegin, NOT_YET, type VisitorRoutesNeeds } from './visitor.ts'

const tag = 'Widget'
const who = 'visitor'
const params = Type.Object({ id: ConversationId })

const SeenAnswer = success(
  SeenByVisitor, { title: 'WidgetSeenAnswer', description: 'Up to where the visitor has seen it' }
)

type Needs = Pick<VisitorRoutesNeeds, 'store' | 'conversations' | 'throttle' | 'nameForVisitors'> & {
  seen: Pick<SeenStore, 'markByVisitor'>
}

/**
 * How visitors come to people: asking for one, waiting no more, and that they type and what they have seen, which a
 * person sees.
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
    summary: 'Ask for a person',
    description:
      'Where somebody is on duty the conversation waits for them, otherwise a ticket is opened and the agent goes on.',
    who,
    cors,
    params,
    missing,
    answer: ok(ConversationAnswer, 'A person was asked for', { show }),
    refuses: [NO_HANDOFF, CLOSED, ...NOT_YET],
    handle: async ({ visitor, owner, params: { id }, request: { ip } }) => {
      await beginning(visitor, id)
      // It is answered with a message each time.
      await throttle.message(visitor.id, ip)
      return await talk.handOver(owner, id, { type: 'asked', reason: 'visitor_asked' })
    }
  }))

  app.route(visitorRoute({
    delete: '/conversations/:id/handoff',
    id: 'cancelOwnHandoff',
    tag,
    summary: 'Wait for a person no more',
    who,
    cors,
    params,
    missing,
    answer: ok(ConversationAnswer, 'The agent goes on', { show }),
    refuses: [['not_waiting', 'This conversation does not wait for a person.']],
    handle: async ({ visitor, owner, params: { id } }) => {
      await conversationOf(kept, visitor, id)
      return await talk.handOver(owner, id, { type: 'cancelled' })
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/typing',
    id: 'tellOwnTyping',
    tag,
    summary: 'Tell that the visitor types',
    description:
      "Those who watch are told, and it is kept nowhere. `text`: what stands there so far; the account's people alone see it, in GET /v1/events.",
    who,
    cors,
    params,
    body: WidgetTypingDraft,
    // It may come without a body: nothing but that somebody types is told then.
    fastify: { preValidation: async (request) => { request.body ??= {} } },
    answer: accepted(
      success(Type.Object({ id: Type.String() }), { title: 'WidgetTypingTold', description: 'Told' }), 'Told'
    ),
    refuses: NOT_YET,
    handle: async ({ visitor, owner, params: { id }, body: { text } }) => {
      // Words are told of nobody who has yet to agree.
      await (text === undefined ? conversationOf(kept, visitor, id) : beginning(visitor, id))
      typing.say(owner, id, 'visitor', text)
      return { id }
    }
  }))

  app.route(visitorRoute({
    put: '/conversations/:id/seen',
    id: 'tellOwnSeen',
    tag,
    summary: 'Tell what the visitor has seen',
    description:
      "Up to a message that was before the visitor's eyes. A mark never goes back, and never beyond the newest message; the account's people see it below what they wrote.",
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
