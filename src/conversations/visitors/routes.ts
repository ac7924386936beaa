import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, PathId } from '../../../schema/common.ts'
import { Visitor, VisitorDraft, VisitorId, VisitorPatch, type VisitorRecord } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { noAgent } from '../../agents/index.ts'
import { inParts, listOf, storedPart } from '../../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../../platform/http/resources/tags.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusal } from '../../platform/http/openapi.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { checkVisitorToTry, READING, SPEAKING } from '../routes.ts'
import type { ConversationStore } from '../store.ts'
import { newId } from '../ids.ts'
import { changedVisitor, newVisitor, type VisitorStore } from './visitors.ts'

const VisitorAnswer = success(Visitor, { title: 'VisitorAnswer', description: 'The visitor' })
const VisitorList = listOf(Visitor, { title: 'VisitorList', description: 'A part of the visitors' })
const Query = Type.Object({
  ...inParts('Visitors'),
  agent: Type.Optional(PathId)
}, closed)
const inVisitor = Type.Object({ id: VisitorId })
const tags = ['Visitors']

/** Being seen changes nothing that people set. */
const setOf = ({ last_seen_at: _seen, ...set }: VisitorRecord) => set

/** Who talks to agents: list, make, read, change. */
export const visitorRoutes: FastifyPluginAsyncTypebox<{
  visitors: VisitorStore, store: Pick<ConversationStore, 'list'>, clock: Clock
}> = async (app, { visitors, store, clock }) => {
  app.get(
    '/visitors',
    {
      schema: {
        tags,
        operationId: 'listVisitors',
        summary: 'List visitors',
        description: 'Newest first.',
        querystring: Query,
        response: { 200: VisitorList }
      },
      config: { permit: READING }
    },
    async (request) => {
      const { caller: { account: { id } }, query: { cursor: _cursor, limit: _limit, ...filter } } = request
      return {
        status: 'success' as const,
        message: 'Visitors retrieved successfully',
        ...await storedPart(request, id, async (after, limit) => await visitors.list(id, filter, after, limit))
      }
    }
  )

  app.post(
    '/visitors',
    {
      schema: {
        tags,
        operationId: 'createVisitor',
        summary: 'Make a visitor',
        body: VisitorDraft,
        response: { 201: VisitorAnswer, 404: refusal('not_found', 'No such agent.') }
      },
      config: { permit: SPEAKING, heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const {
        caller: {
          account: { id: owner }
        },
        body: { agent, ...about }
      } = request
      const at = timestamp(clock.micros())
      const visitor = changedVisitor(newVisitor(newId('vis'), owner, agent, at), about, at)
      const { answer, replayed } = (await visitors.create(owner, visitor, onceOf(request))) ?? noAgent()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .headers({ location: `/v1/visitors/${answer.id}`, etag: tagOf(setOf(answer), answer) })
        .send({ status: 'success', message: 'Visitor created successfully', data: answer })
    }
  )

  app.get(
    '/visitors/:id',
    {
      schema: {
        tags,
        operationId: 'getVisitor',
        summary: 'Read a visitor',
        params: inVisitor,
        response: { 200: VisitorAnswer, 304: Unchanged }
      },
      config: { permit: READING, heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const data = (await visitors.get(request.caller.account.id, request.params.id)) ?? noVisitor()
      return answerTagged(request, reply, tagOf(setOf(data), data), 'Visitor retrieved successfully', data)
    }
  )

  app.patch(
    '/visitors/:id',
    {
      schema: {
        tags,
        operationId: 'updateVisitor',
        summary: 'Change a visitor',
        description:
          'What is left out stays. With If-Match, only if nobody has changed them since you read it; what they say does not count.',
        params: inVisitor,
        body: VisitorPatch,
        response: { 200: VisitorAnswer }
      },
      config: { permit: SPEAKING, heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, params: { id }, body } = request
      const match = matching(request, 'The visitor', setOf)
      await checkVisitorToTry(store, caller, id)
      const data = (await visitors.update(caller.account.id, id, (kept) => {
        match(kept)
        return changedVisitor(kept, body, timestamp(clock.micros()))
      })) ?? noVisitor()
      return answerTagged(request, reply, tagOf(setOf(data), data), 'Visitor updated successfully', data)
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function noVisitor (): never {
  throw new Refusal('not_found', 'No such visitor.')
}
