import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { WidgetTypingDraft } from '../../../schema/widget.ts'
import { noConversation } from '../../conversations/index.ts'
import { CLOSED, NO_HANDOFF } from '../../handoff/index.ts'
import { refusal, refusals } from '../../platform/http/openapi.ts'
import { conversationOf, openToSites, shownConversation } from '../visitor.ts'
import { ConversationAnswer, mayBegin, NOT_YET, type VisitorRoutesNeeds } from './visitor.ts'

const tags = ['Widget']
const inConversation = Type.Object({ id: ConversationId })

type Needs = Pick<VisitorRoutesNeeds, 'store' | 'conversations' | 'throttle'>

/** How visitors come to people: asking for one, waiting no more, and that they type, which a person sees. */
export const visitorPeopleRoutes: FastifyPluginAsyncTypebox<Needs> = async (app, needs) => {
  const { store, conversations: { store: kept, talk, typing }, throttle } = needs
  const config = { permit: 'visitor' as const, cors: openToSites(store) }
  const beginning = mayBegin(needs)

  app.post(
    '/conversations/:id/handoff',
    {
      schema: {
        tags,
        operationId: 'requestOwnHandoff',
        summary: 'Ask for a person',
        description:
          'Where somebody is on duty the conversation waits for them, otherwise a ticket is opened and the agent goes on.',
        params: inConversation,
        response: { 200: ConversationAnswer, 409: refusals(NO_HANDOFF, CLOSED, ...NOT_YET) }
      },
      config
    },
    async ({ visitor, ip, params: { id } }) => {
      await beginning(visitor, id)
      // It is answered with a message each time.
      throttle.message(visitor.id, ip)
      const data =
        (await talk.handOver(visitor.owner, id, { type: 'asked', reason: 'visitor_asked' })) ?? noConversation()
      return { status: 'success' as const, message: 'A person was asked for', data: shownConversation(data) }
    }
  )

  app.delete(
    '/conversations/:id/handoff',
    {
      schema: {
        tags,
        operationId: 'cancelOwnHandoff',
        summary: 'Wait for a person no more',
        params: inConversation,
        response: { 200: ConversationAnswer, 409: refusal('not_waiting', 'This conversation does not wait for a person.') }
      },
      config
    },
    async ({ visitor, params: { id } }) => {
      await conversationOf(kept, visitor, id)
      const data = (await talk.handOver(visitor.owner, id, { type: 'cancelled' })) ?? noConversation()
      return { status: 'success' as const, message: 'The agent goes on', data: shownConversation(data) }
    }
  )

  app.post(
    '/conversations/:id/typing',
    {
      // It may come without a body: nothing but that somebody types is told then.
      preValidation: async (request) => { request.body ??= {} },
      schema: {
        tags,
        operationId: 'tellOwnTyping',
        summary: 'Tell that the visitor types',
        description:
          "Those who watch are told, and it is kept nowhere. `text`: what stands there so far; the account's people alone see it, in GET /v1/events.",
        params: inConversation,
        body: WidgetTypingDraft,
        response: {
          202: success(Type.Object({ id: Type.String() }), { title: 'WidgetTypingTold', description: 'Told' }),
          409: refusals(...NOT_YET)
        }
      },
      config
    },
    async ({ visitor, params: { id }, body: { text } }, reply) => {
      // Words are told of nobody who has yet to agree.
      await (text === undefined ? conversationOf(kept, visitor, id) : beginning(visitor, id))
      typing.say(visitor.owner, id, 'visitor', text)
      return reply.code(202).send({ status: 'success', message: 'Told', data: { id } })
    }
  )
}
