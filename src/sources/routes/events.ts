import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { KnowledgeWatched } from '../../../schema/streams/events.ts'
import { route } from '../../access/index.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import { lastEventId, type EventStreams } from '../../platform/http/sse.ts'
import { noAgent } from '../../agents/index.ts'
import { topicOf, type KnowledgeEvent, type KnowledgeStore } from '../store.ts'

/** Sources and their training, as they change: server-sent events. */
export const eventRoutes: FastifyPluginAsync<{ knowledge: KnowledgeStore, streams: EventStreams }> = async (
  app, { knowledge, streams }
) => {
  app.route(route({
    get: '/agents/:id/events',
    id: 'watchKnowledge',
    tag: 'Knowledge',
    summary: "Stream an agent's knowledge events",
    description:
      'Server-sent events, each named by its type. A `source` event reports the progress of a source after a change, a `removed` event a source that was removed. Send the last id you received as Last-Event-ID to continue from there; without it the stream begins now.',
    who: 'any user',
    params: Type.Object({ id: PathId }),
    heeds: ['Last-Event-ID'],
    streams: KnowledgeWatched,
    answer: raw({ 200: Type.String({ description: 'The events, for as long as the connection is open' }) }),
    handle: async ({ caller, owner, params: { id }, request, reply }) => {
      const after = lastEventId(request) ?? await knowledge.lastEvent(owner, id)
      ;(await knowledge.events(owner, id, after)) ?? noAgent()
      return streams.send(request, reply, {
        topics: [topicOf(id)],
        after: String(after),
        read: async (after) => (await knowledge.events(owner, id, Number(after)))?.map(onTheWire),
        isStillAllowed: caller.isStillAllowed
      })
    }
  }))
}

function onTheWire ({ id, data }: KnowledgeEvent) {
  const { type } = JSON.parse(data) as { type: string }
  return { id: String(id), event: type, data }
}
