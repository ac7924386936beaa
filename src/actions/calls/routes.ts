import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { Call, CallCard, CallDecision, CallDraft, CallId, CallState, Confirm } from '../../../schema/actions.ts'
import { closed, PathId } from '../../../schema/common.ts'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { inConversation, NO_CONVERSATION, onlyToTry, READING, SPEAKING } from '../../conversations/index.ts'
import { created, listInParts, ok } from '../../platform/http/resources/answer.ts'
import { inParts } from '../../platform/http/resources/cursors.ts'
import type { Actions } from '../open.ts'
import { makeCall } from './make.ts'

const tag = 'Actions'
const params = Type.Object({ id: ConversationId, call: CallId })
const missing = 'No such call.'
const CallAnswer = success(Call, { title: 'CallAnswer', description: 'The call in its current state' })
const CardAnswer = success(CallCard, { title: 'CallCardAnswer', description: 'The call, with its arguments' })
const Query = Type.Object({
  ...inParts('Calls'),
  conversation: Type.Optional(ConversationId),
  action: Type.Optional(PathId),
  state: Type.Optional(CallState),
  confirm: Type.Optional(Confirm)
}, closed)

/** Refusals of deciding a call that was shown. */
export const DECIDING = [
  ['call_settled', 'This was already decided. Read the call again to see the result.'],
  ['call_changed', 'The call is not as it was shown. Read it again, then decide.'],
  ['taken_over', 'Somebody else handles this conversation now, so this action can no longer run.']
] as const

/** Refusals of making a call. */
export const MAKING = [
  ['action_off', 'The agent of this conversation has no such action, or it is switched off.'],
  ['not_verified', 'This is available only to visitors whom the business vouches for. Sign in on its site first.'],
  ['limit_reached', 'This was done as often as allowed. Try again tomorrow, or ask for a person.'],
  ['taken_over', 'Somebody else handles this conversation now, so this action can no longer run.']
] as const

/** Calls: make, list, read, confirm, refuse. */
export const callRoutes: FastifyPluginAsync<Actions & { store: Parameters<typeof onlyToTry>[0] }> = async (
  app, { store, ...actions }
) => {
  const { calls } = actions
  app.addHook('preHandler', onlyToTry(store))

  app.route(route({
    post: '/conversations/:id/calls',
    id: 'createCall',
    tag,
    summary: 'Run an action',
    description:
      'Runs an action without a model, with arguments from your own form. Responds once it is done, or with the call if somebody has to confirm it first.',
    who: SPEAKING,
    params: inConversation,
    body: CallDraft,
    missing: NO_CONVERSATION,
    limits: { answerMs: 60_000 },
    answer: created(CardAnswer, 'Call made'),
    refuses: [...MAKING],
    async handle ({ owner, params: { id: conversation }, body: { action, arguments: given = {} } }) {
      const made = await makeCall(actions, owner, { conversation, action, arguments: given })
      return made && await calls.get(owner, conversation, made.call.id)
    }
  }))

  app.route(route({
    get: '/calls',
    id: 'listCalls',
    tag,
    summary: 'List calls',
    description: 'What agents did, are about to do or may have done, newest first; without the arguments.',
    who: READING,
    query: Query,
    answer: listInParts(Call, { title: 'CallList', description: 'A part of the calls' }, 'Calls retrieved successfully'),
    handle: ({ owner, part: { filter, after, limit } }) => calls.list(owner, filter, after, limit)
  }))

  app.route(route({
    get: '/conversations/:id/calls/:call',
    id: 'getCall',
    tag,
    summary: 'Read a call',
    description: 'Includes its arguments and its result.',
    who: ['REPLY_CONVERSATION'],
    params,
    missing,
    audit: 'reading',
    answer: ok(CardAnswer, 'Call retrieved successfully'),
    handle: ({ owner, params: { id, call } }) => calls.get(owner, id, call)
  }))

  for (const event of ['confirm', 'refuse'] as const) {
    app.route(route({
      post: `/conversations/:id/calls/:call/${event}`,
      id: `${event}Call`,
      tag,
      summary: event === 'confirm' ? 'Confirm a call' : 'Refuse a call',
      description: event === 'confirm'
        ? 'Carries out the call once, exactly as shown: pass the `digest` of the call that was read. If two people confirm at the same time, only one succeeds. After a hand-off nothing is carried out.'
        : 'The call is not carried out.',
      who: ['REPLY_CONVERSATION'],
      params,
      body: CallDecision,
      missing,
      answer: ok(CallAnswer, event === 'confirm' ? 'Call confirmed' : 'Call refused'),
      refuses: [...DECIDING],
      handle: ({ owner, caller, params: { id, call }, body: { digest } }) =>
        calls.decide(owner, id, call, { event, digest, person: caller.user.id })
    }))
  }
}
