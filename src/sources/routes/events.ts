import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../../schema/common.ts'
import { KnowledgeWatched } from '../../../schema/streams/events.ts'
import { invalid } from '../../platform/errors.ts'
import type { EventStreams } from '../../platform/http/sse.ts'
import { noAgent } from '../../agents/index.ts'
import { topicOf, type KnowledgeEvent, type KnowledgeStore } from '../store.ts'

/** Sources and their training, as they change: server-sent events. */
export const eventRoutes: FastifyPluginAsyncTypebox<{ knowledge: KnowledgeStore, streams: EventStreams }> = async (
  app, { knowledge, streams }
) => {
  app.get(
    '/agents/:id/events',
    {
      schema: {
        tags: ['Knowledge'],
        operationId: 'watchKnowledge',
        summary: "Watch an agent's knowledge",
        description:
          'Server-sent events, each named by its type. A `source` event is how far a source is after a change, a `removed` event one that is gone. Send the last id you saw as Last-Event-ID to go on where you stopped; without it the stream begins now.',
        params: Type.Object({ id: PathId }),
        response: { 200: Type.String({ description: 'The events, for as long as they are watched' }) }
      },
      config: { permit: 'any user', heeds: ['Last-Event-ID'], streams: KnowledgeWatched }
    },
    async (request, reply) => {
      const {
        caller, params: { id }
      } = request
      const owner = caller.account.id
      const header = request.headers['last-event-id']
      if (header !== undefined && !/^\d{1,15}$/.test(String(header))) {
        throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
      }
      const after = header === undefined ? await knowledge.lastEvent(owner, id) : Number(header)
      ;(await knowledge.events(owner, id, after)) ?? noAgent()
      return streams.send(request, reply, {
        topics: [topicOf(id)],
        after: String(after),
        read: async (after) => (await knowledge.events(owner, id, Number(after)))?.map(onTheWire),
        isStillAllowed: caller.isStillAllowed
      })
    }
  )
}

function onTheWire ({ id, data }: KnowledgeEvent) {
  const { type } = JSON.parse(data) as { type: string }
  return { id: String(id), event: type, data }
}
