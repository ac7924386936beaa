import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../schema/common.ts'
import { invalid } from '../platform/errors.ts'
import { noAgent } from './routes.ts'
import type { KnowledgeStore } from './store.ts'

/** How often a quiet stream says that it is alive, and looks for what another process has done. */
const BEAT_MS = 15_000
const LOOK_MS = 1000

/** Sources and their training, as they change: server-sent events. */
export const eventRoutes: FastifyPluginAsyncTypebox<{ knowledge: KnowledgeStore, closing: AbortSignal }> = async (app, { knowledge, closing }) => {
  app.get('/agents/:id/events', {
    schema: {
      tags: ['Knowledge'],
      summary: 'Watch an agent\'s knowledge',
      description: 'Server-sent events. Each `source` event is a source as it stands after a change, each `removed` event one that is gone. Send the last id you saw as Last-Event-ID to go on where you stopped; without it the stream begins now.',
      produces: ['text/event-stream'],
      params: Type.Object({ id: PathId }),
      response: { 200: Type.String() }
    },
    config: { permit: 'any user' }
  }, async (request, reply) => {
    const { caller, params: { id } } = request
    const header = request.headers['last-event-id']
    if (header !== undefined && !/^\d{1,15}$/.test(String(header))) throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
    const after = header === undefined ? await knowledge.lastEvent(caller.account.id, id) : Number(header)
    await knowledge.events(caller.account.id, id, after) ?? noAgent()
    reply.type('text/event-stream; charset=utf-8').headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    // HEAD comes here too, and what nobody reads would be watched until the server stops.
    if (request.method === 'HEAD') return reply.send('')
    return reply.send(Readable.from(stream(caller.account.id, id, after), { highWaterMark: 16 }) as never)
  })

  async function * stream (owner: number, agent: number, after: number) {
    yield ': watching\nretry: 2000\n\n'
    let quiet = 0
    for (let last = after; !closing.aborted;) {
      const events = await knowledge.events(owner, agent, last)
      // The agent was deleted.
      if (!events) return
      for (const { id, data } of events) {
        const { type } = JSON.parse(data) as { type: string }
        yield `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
        last = id
      }
      if (events.length) {
        quiet = 0
        continue
      }
      await changed()
      quiet += LOOK_MS
      /* c8 ignore next 4 -- a quiet quarter of a minute, longer than a test may last. */
      if (quiet >= BEAT_MS) {
        quiet = 0
        yield ': alive\n\n'
      }
    }
  }

  /** Resolves when something may have happened. */
  function changed (): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        stop()
        closing.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, LOOK_MS)
      const stop = knowledge.watch(done)
      closing.addEventListener('abort', done)
    })
  }
}
