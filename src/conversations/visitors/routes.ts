import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, PathId } from '../../../schema/common.ts'
import { Visitor, VisitorDraft, VisitorId, VisitorPatch } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { noAgent } from '../../agents/index.ts'
import { inParts, listOf, storedPart } from '../../platform/http/resources/cursors.ts'
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
      config: { permit: SPEAKING, heeds: ['Idempotency-Key'], tells: ['Location'] }
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
        .header('location', `/v1/visitors/${answer.id}`)
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
        response: { 200: VisitorAnswer }
      },
      config: { permit: READING }
    },
    async ({ caller, params: { id } }) => {
      const data = (await visitors.get(caller.account.id, id)) ?? noVisitor()
      return { status: 'success' as const, message: 'Visitor retrieved successfully', data }
    }
  )

  app.patch(
    '/visitors/:id',
    {
      schema: {
        tags,
        operationId: 'updateVisitor',
        summary: 'Change a visitor',
        params: inVisitor,
        body: VisitorPatch,
        response: { 200: VisitorAnswer }
      },
      config: { permit: SPEAKING }
    },
    async ({ caller, params: { id }, body }) => {
      await checkVisitorToTry(store, caller, id)
      const data =
        (await visitors.update(caller.account.id, id, (kept) =>
          changedVisitor(kept, body, timestamp(clock.micros()))
        )) ?? noVisitor()
      return { status: 'success' as const, message: 'Visitor updated successfully', data }
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function noVisitor (): never {
  throw new Refusal('not_found', 'No such visitor.')
}
