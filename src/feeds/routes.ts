import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId, closed, oneOf } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { Feed, FeedDraft, FeedPatch, KnowledgeGaps, StaleSource } from '../../schema/feeds.ts'
import { route } from '../access/index.ts'
import { NO_AGENT, noAgent } from '../agents/index.ts'
import { accepted, created, list, ok, removed } from '../platform/http/resources/answer.ts'
import { versionOf } from '../platform/http/resources/tags.ts'
import type { Feeds } from './open.ts'

const tag = 'Knowledge'
const CHANGING = ['MANAGE_KNOWLEDGE_BASE'] as const
const inAgent = Type.Object({ id: PathId })
const inFeed = Type.Object({ id: PathId, feed: PathId })
const missing = 'No such feed.'
/** What a person has set: looks, which come and go, are nobody's change. */
const version = versionOf<Feed>('The feed', ({ id, name, kind, config, every, folder, has_secret: secret }) =>
  ({ id, name, kind, config, every, folder, secret }))
const FeedAnswer = success(Feed, { title: 'FeedAnswer', description: 'The feed, without its secret' })

/** Feeds of agents: list, make, read, change, remove, look at, approve what is to be removed. */
export const feedRoutes: FastifyPluginAsync<{ feeds: Feeds }> = async (app, { feeds: { store, gaps } }) => {
  app.route(route({
    get: '/agents/:id/feeds',
    id: 'listFeeds',
    tag,
    summary: "List an agent's feeds",
    description: 'Oldest first. Secrets are never shown.',
    who: CHANGING,
    params: inAgent,
    answer: list(Feed, {
      title: 'FeedList', description: 'The feeds, without their secrets', placeOf: ({ id }) => id
    }, 'Feeds retrieved successfully'),
    handle: async ({ owner, params: { id } }) => (await store.list(owner, id)) ?? noAgent()
  }))

  app.route(route({
    post: '/agents/:id/feeds',
    id: 'createFeed',
    tag,
    summary: 'Make a feed',
    description:
      'A place that the agent learns from and keeps up with: what is new there becomes a source, what has changed is trained again, what is gone goes. Much that is gone at once waits for `approve_removal`. Its first look begins at once.',
    who: CHANGING,
    params: inAgent,
    body: FeedDraft,
    idempotent: true,
    version,
    missing: NO_AGENT,
    answer: created(FeedAnswer, 'Feed created successfully'),
    refuses: [['limit_reached', 'An agent may have 50 feeds. Remove one that is not needed.']],
    handle: ({ owner, params: { id }, body, once }) => store.add(owner, id, body, once)
  }))

  app.route(route({
    get: '/agents/:id/feeds/:feed',
    id: 'getFeed',
    tag,
    summary: 'Read a feed',
    who: CHANGING,
    params: inFeed,
    version,
    missing,
    answer: ok(FeedAnswer, 'Feed retrieved successfully'),
    handle: ({ owner, params: { id, feed } }) => store.get(owner, id, feed)
  }))

  app.route(route({
    patch: '/agents/:id/feeds/:feed',
    id: 'updateFeed',
    tag,
    summary: 'Change a feed',
    description:
      'What is left out stays. Told something else or given another secret, it is looked at at once. `paused: true` ends its looks until it is false again; what has been learnt stays.',
    who: CHANGING,
    params: inFeed,
    body: FeedPatch,
    version,
    missing,
    answer: ok(FeedAnswer, 'Feed updated successfully'),
    handle: ({ owner, params: { id, feed }, body, match }) => store.change(owner, id, feed, body, match)
  }))

  app.route(route({
    delete: '/agents/:id/feeds/:feed',
    id: 'deleteFeed',
    tag,
    summary: 'Remove a feed',
    description:
      'Its secret is gone for good. Its sources stay, as if they had been added by hand; with `sources=remove` they go too.',
    who: CHANGING,
    params: inFeed,
    query: Type.Object({
      sources: Type.Optional(oneOf(['keep', 'remove'], { description: '`keep` unless said' }))
    }, closed),
    version,
    missing,
    answer: removed('Feed removed successfully'),
    handle: ({ owner, params: { id, feed }, query, match }) =>
      store.remove(owner, id, feed, query.sources === 'remove' ? 'removed' : 'kept', match)
  }))

  app.route(route({
    post: '/agents/:id/feeds/:feed/look',
    id: 'lookAtFeed',
    tag,
    summary: 'Look at a feed now',
    description: 'A look that is under way begins anew.',
    who: CHANGING,
    params: inFeed,
    missing,
    answer: accepted(FeedAnswer, 'The look has been asked for'),
    refuses: [['feed_paused', 'This feed is paused. Switch it on again.']],
    handle: ({ owner, params: { id, feed } }) => store.look(owner, id, feed)
  }))

  app.route(route({
    post: '/agents/:id/feeds/:feed/approve_removal',
    id: 'approveFeedRemoval',
    tag,
    summary: 'Approve what is to be removed',
    description:
      'Of a feed that is paused since much of it is gone: it is looked at once more, and what is still gone is removed. What has come back stays.',
    who: CHANGING,
    params: inFeed,
    missing,
    answer: accepted(FeedAnswer, 'What is gone will be removed'),
    refuses: [['nothing_to_remove', 'Nothing of this feed waits to be removed.']],
    handle: ({ owner, params: { id, feed } }) => store.approveRemoval(owner, id, feed)
  }))

  app.route(route({
    get: '/agents/:id/knowledge/stale',
    id: 'listStaleSources',
    tag,
    summary: 'List sources that may not hold any more',
    description: 'Oldest first, 500 at most; `cited` says which matter most. Sources are looked through once a day, and those of a feed after every look at it.',
    who: 'any user',
    params: inAgent,
    missing: NO_AGENT,
    answer: list(StaleSource, {
      title: 'StaleSourceList', description: 'The sources, and why', placeOf: ({ id }) => id
    }, 'Stale sources retrieved successfully'),
    handle: async ({ owner, params: { id } }) => (await store.stale(owner, id)) ?? noAgent()
  }))

  app.route(route({
    get: '/agents/:id/knowledge/gaps',
    id: 'getKnowledgeGaps',
    tag,
    summary: 'Read what an agent lacks',
    description:
      'Of the last seven days: what was asked and not known, what people answered instead, and how large a share was known, beside the week before; and sources that no answer has cited in 90 days.',
    who: ['VIEW_ANALYTICS'],
    params: inAgent,
    missing: NO_AGENT,
    answer: ok(success(KnowledgeGaps, { title: 'KnowledgeGapsAnswer', description: 'The report' }), 'Gaps retrieved successfully'),
    handle: ({ owner, params: { id } }) => gaps(owner, id)
  }))
}
