import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { Call, CallCard, CallDecision, CallDraft, CallId, OfferedForm } from '../../../schema/actions.ts'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { DECIDING, formsOf, makeCall, MAKING, tellOutcome } from '../../actions/index.ts'
import { NO_CONVERSATION } from '../../conversations/index.ts'
import { created, ok } from '../../platform/http/resources/answer.ts'
import { conversationOf, openToSites, visitorRoute } from '../visitor.ts'
import { mayBegin, NOT_YET, type VisitorRoutesNeeds } from './visitor.ts'

const tag = 'Widget'
const who = 'visitor'
const inConversation = Type.Object({ id: ConversationId })
const params = Type.Object({ id: ConversationId, call: CallId })
const missing = 'No such call.'
const OwnCall = success(CallCard, { title: 'WidgetCallAnswer', description: 'The call, with its arguments' })

/** Dependencies of the routes of visitors' calls. */
export interface VisitorCallNeeds extends Pick<VisitorRoutesNeeds, 'store' | 'conversations' | 'throttle' | 'actions'> {
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
}

/** Actions that visitors run: by a form, or by confirming an agent's call. */
export const visitorCallRoutes: FastifyPluginAsync<VisitorCallNeeds> = async (app, needs) => {
  const { store, conversations, throttle, actions, agentOf } = needs
  const { store: kept } = conversations
  const { calls } = actions
  const cors = openToSites(store)
  const beginning = mayBegin(needs)

  app.route(visitorRoute({
    get: '/actions',
    id: 'listOwnActions',
    tag,
    summary: 'List available actions',
    description: 'Returns the actions that the agent offers as a button with a form.',
    who,
    cors,
    answer: ok(
      success(Type.Array(OfferedForm), {
        title: 'OfferedForms', description: 'The actions, with the fields of their forms'
      }),
      'Actions retrieved successfully'
    ),
    async handle ({ visitor, owner }) {
      const agent = await agentOf(owner, visitor.agent)
      return agent ? await formsOf(actions, agent, visitor.verified) : []
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/calls',
    id: 'createOwnCall',
    tag,
    summary: 'Run an action',
    description:
      'Runs an action that is offered as a form. Responds when it is done, or with the call if it has to be ' +
      'confirmed; the result is posted in the conversation.',
    who,
    cors,
    params: inConversation,
    body: CallDraft,
    missing: NO_CONVERSATION,
    limits: { answerMs: 60_000 },
    answer: created(OwnCall, 'Call made'),
    refuses: [...MAKING, ...NOT_YET],
    async handle ({ visitor, owner, params: { id: conversation }, body, request: { ip } }) {
      const { action, arguments: given = {} } = body
      await beginning(visitor, conversation)
      await throttle.message(visitor.id, ip)
      const made = await makeCall(actions, owner, {
        conversation, action, arguments: given, isForm: true, isVouchedFor: visitor.verified
      })
      const card = made && await calls.get(owner, conversation, made.call.id)
      if (made && card) await tellOutcome(conversations, made.call, made.result, card.arguments)
      return card
    }
  }))

  app.route(visitorRoute({
    get: '/conversations/:id/calls',
    id: 'listOwnCalls',
    tag,
    summary: 'List pending confirmations',
    description: 'Returns calls that the visitor is asked to confirm, with their arguments, oldest first.',
    who,
    cors,
    params: inConversation,
    answer: ok(
      success(Type.Array(CallCard), { title: 'WidgetCalls', description: 'The pending calls' }),
      'Calls retrieved successfully'
    ),
    async handle ({ visitor, owner, params: { id } }) {
      await conversationOf(kept, visitor, id)
      const all = await calls.ofConversation(owner, id)
      return all.filter(({ state, confirm }) => state === 'asked' && confirm === 'visitor')
    }
  }))

  for (const event of ['confirm', 'refuse'] as const) {
    app.route(visitorRoute({
      post: `/conversations/:id/calls/:call/${event}`,
      id: `${event}OwnCall`,
      tag,
      summary: event === 'confirm' ? 'Confirm a call' : 'Refuse a call',
      description: event === 'confirm'
        ? 'Runs the action once, exactly as it was shown: `digest` is that of the call.'
        : 'The action is not run.',
      who,
      cors,
      params,
      body: CallDecision,
      missing,
      answer: ok(success(Call, { title: 'CallAnswer', description: 'The call in its current state' }), 'Decided'),
      refuses: [...DECIDING],
      async handle ({ visitor, owner, params: { id, call }, body: { digest } }) {
        await conversationOf(kept, visitor, id)
        return await calls.decide(owner, id, call, { event, digest, person: null })
      }
    }))
  }
}
