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
/** The fields people set: the results of looks do not count as changes. */
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
    summary: 'Create a feed',
    description:
      'A feed is a place that the agent learns from and keeps up to date with: new items become sources, changed ones are trained again, and those that are gone are removed. If many are gone at once, their removal waits for `approve_removal`. The first check starts immediately.',
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
    summary: 'Update a feed',
    description:
      'Omitted fields stay unchanged. If `config` or the secret changes, the feed is checked immediately. `paused: true` stops its checks until it is set to false; what has been learned is kept.',
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
    summary: 'Delete a feed',
    description:
      'Its secret is deleted permanently. Its sources are kept as if added by hand; with `sources=remove` they are deleted too.',
    who: CHANGING,
    params: inFeed,
    query: Type.Object({
      sources: Type.Optional(oneOf(['keep', 'remove'], { description: 'Default: `keep`' }))
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
    summary: 'Check a feed now',
    description: 'A check in progress starts over.',
    who: CHANGING,
    params: inFeed,
    missing,
    answer: accepted(FeedAnswer, 'Look requested'),
    refuses: [['feed_paused', 'This feed is paused. Resume it first.']],
    handle: ({ owner, params: { id, feed } }) => store.look(owner, id, feed)
  }))

  app.route(route({
    post: '/agents/:id/feeds/:feed/approve_removal',
    id: 'approveFeedRemoval',
    tag,
    summary: 'Approve pending removals of a feed',
    description:
      'For a feed paused because many of its items are gone: it is checked once more, and the sources of items still gone are removed. Those whose items are back are kept.',
    who: CHANGING,
    params: inFeed,
    missing,
    answer: accepted(FeedAnswer, 'What is gone will be removed'),
    refuses: [['nothing_to_remove', 'Nothing of this feed is waiting to be removed.']],
    handle: ({ owner, params: { id, feed } }) => store.approveRemoval(owner, id, feed)
  }))

  app.route(route({
    get: '/agents/:id/knowledge/stale',
    id: 'listStaleSources',
    tag,
    summary: 'List sources that may be out of date',
    description: 'Oldest first, at most 500; `cited` shows which matter most. Sources are reviewed once a day, and those of a feed also after each of its checks.',
    who: 'any user',
    params: inAgent,
    missing: NO_AGENT,
    answer: list(StaleSource, {
      title: 'StaleSourceList', description: 'The sources, and why they may be out of date', placeOf: ({ id }) => id
    }, 'Stale sources retrieved successfully'),
    handle: async ({ owner, params: { id } }) => (await store.stale(owner, id)) ?? noAgent()
  }))

  app.route(route({
    get: '/agents/:id/knowledge/gaps',
    id: 'getKnowledgeGaps',
    tag,
    summary: 'Read the knowledge gaps of an agent',
    description:
      'Covers the last seven days: questions the agent could not answer, what people answered instead, and the share of questions it could answer, compared with the week before. Also lists sources that no answer has cited in 90 days.',
    who: ['VIEW_ANALYTICS'],
    params: inAgent,
    missing: NO_AGENT,
    answer: ok(success(KnowledgeGaps, { title: 'KnowledgeGapsAnswer', description: 'The report' }), 'Gaps retrieved successfully'),
    handle: ({ owner, params: { id } }) => gaps(owner, id)
  }))
}
