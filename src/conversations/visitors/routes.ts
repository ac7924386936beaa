import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, PathId } from '../../../schema/common.ts'
import { Visitor, VisitorDraft, VisitorId, VisitorName, VisitorPatch, type VisitorRecord } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT } from '../../agents/index.ts'
import { created, listInParts, ok } from '../../platform/http/resources/answer.ts'
import { inParts } from '../../platform/http/resources/cursors.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import { checkVisitorToTry, READING, SPEAKING } from '../routes.ts'
import type { ConversationStore } from '../store.ts'
import { newId } from '../storage/rows.ts'
import { changedVisitor, newVisitor, type VisitorStore } from './visitors.ts'

const tag = 'Visitors'
const params = Type.Object({ id: VisitorId })
/** The same text whether it is missing or somebody else's. */
const missing = 'No such visitor.'
const VisitorAnswer = success(Visitor, { title: 'VisitorAnswer', description: 'The visitor' })

/** Comma-separated ids, 100 at most. */
const Names = Type.String({
  pattern: '^vis_[A-Za-z0-9_-]{22}(,vis_[A-Za-z0-9_-]{22}){0,99}$',
  maxLength: 2700,
  description: 'Comma-separated visitor ids, at most 100'
})

/** Being seen, and where, changes nothing that people set. */
const version = versionOf('The visitor', ({ last_seen_at: _seen, place: _place, ...set }: VisitorRecord) => set)

/** Agents' visitors: list, create, read, change. */
export const visitorRoutes: FastifyPluginAsync<{
  visitors: VisitorStore, store: Pick<ConversationStore, 'list'>, clock: Clock
}> = async (app, { visitors, store, clock }) => {
  app.route(route({
    get: '/visitors',
    id: 'listVisitors',
    tag,
    summary: 'List visitors',
    description: 'Newest first.',
    who: READING,
    query: Type.Object({ ...inParts('Visitors'), agent: Type.Optional(PathId) }, closed),
    answer: listInParts(
      Visitor, { title: 'VisitorList', description: 'A page of visitors' }, 'Visitors retrieved successfully'
    ),
    handle: ({ owner, part: { filter, after, limit } }) => visitors.list(owner, filter, after, limit)
  }))

  app.route(route({
    post: '/visitors',
    id: 'createVisitor',
    tag,
    summary: 'Create a visitor',
    who: SPEAKING,
    body: VisitorDraft,
    idempotent: true,
    version,
    missing: NO_AGENT,
    answer: created(VisitorAnswer, 'Visitor created successfully'),
    refuses: [['not_found', NO_AGENT]],
    handle: ({ owner, body: { agent, ...about }, once }) => {
      const at = timestamp(clock.micros())
      return visitors.create(owner, changedVisitor(newVisitor(newId('vis'), owner, agent, at), about, at), once)
    }
  }))

  app.route(route({
    get: '/visitors/names',
    id: 'listVisitorNames',
    tag,
    summary: "List visitors' names",
    description: 'For the given ids, returns the names and nothing else. Omits deleted visitors.',
    who: READING,
    query: Type.Object({ ids: Type.Optional(Names) }, closed),
    answer: ok(
      success(Type.Array(VisitorName), { title: 'VisitorNameList', description: 'The names' }),
      'Names retrieved successfully'
    ),
    handle: ({ owner, query: { ids } }) => visitors.names(owner, [...new Set(ids?.split(','))])
  }))

  app.route(route({
    get: '/visitors/:id',
    id: 'getVisitor',
    audit: 'reading',
    tag,
    summary: 'Read a visitor',
    who: READING,
    params,
    version,
    missing,
    answer: ok(VisitorAnswer, 'Visitor retrieved successfully'),
    handle: ({ owner, params: { id } }) => visitors.get(owner, id)
  }))

  app.route(route({
    patch: '/visitors/:id',
    id: 'updateVisitor',
    tag,
    summary: 'Update a visitor',
    description:
      'Omitted fields are unchanged. With If-Match, succeeds only if nobody has changed the visitor since you read ' +
      'it; messages from the visitor do not count.',
    who: SPEAKING,
    params,
    body: VisitorPatch,
    version,
    missing,
    answer: ok(VisitorAnswer, 'Visitor updated successfully'),
    handle: async ({ caller, owner, params: { id }, body, match }) => {
      await checkVisitorToTry(store, caller, id)
      return await visitors.update(owner, id, (kept) => {
        match(kept)
        return changedVisitor(kept, body, timestamp(clock.micros()))
      })
    }
  }))
}
