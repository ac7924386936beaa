import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Refusal } from '../errors.ts'
import type { Database } from '../storage/sqlite/database.ts'

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health', description: 'Alive or ready' })

/** Whether the process is alive (`/healthz`) and whether it is ready for requests (`/readyz`). */
export const health: FastifyPluginAsyncTypebox<{ db: Database, stopping: AbortSignal }> = async (
  app, { db, stopping }
) => {
  const tags = ['Operations']
  const ok = { status: 'ok' as const }
  const one = db.column<[], number>('select 1')

  app.get(
    '/healthz',
    {
      schema: { tags, operationId: 'getHealth', summary: 'Check that the process is alive', response: { 200: Health } },
      config: { permit: 'anyone' }
    },
    async () => ok
  )

  app.get(
    '/readyz',
    {
      schema: { tags, operationId: 'getReadiness', summary: 'Check that the server is ready', response: { 200: Health } },
      config: { permit: 'anyone' }
    },
    async () => {
      if (stopping.aborted) {
        throw new Refusal('unavailable', 'The server is shutting down.', { headers: { 'retry-after': '5' } })
      }
      const failure = db.failure()
      if (failure) throw failure
      await db.read(() => one.get())
      return ok
    }
  )
}
