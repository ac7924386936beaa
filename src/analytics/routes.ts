import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Analytics } from '../../schema/people/analytics.ts'
import { closed, oneOf, PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { noAgent, type AgentStore } from '../agents/index.ts'
import { dateOf, daysAsked } from '../conversations/index.ts'
import type { Unknowns } from '../learning/index.ts'
import type { Clock } from '../platform/clock.ts'
import { csvOf, figuresOf } from './figures.ts'
import type { AnalyticsStore } from './store.ts'

const AnalyticsAnswer = success(Analytics, {
  title: 'AnalyticsAnswer',
  description: 'The figures; with `Accept: text/csv` or `format=csv` a table with a line a day'
})
const date = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', maxLength: 10, examples: ['2026-11-20'] })
const Query = Type.Object(
  { from: Type.Optional(date), to: Type.Optional(date), format: Type.Optional(oneOf(['json', 'csv'])) }, closed
)
type Query = { from?: string, to?: string, format?: 'json' | 'csv' }
const tags = ['Usage']
const description =
  'By day (UTC); the last 30 days without `from` and `to`, 366 at most. Sums stay when conversations are removed.'

/** What agents did: by day, and what stood out. */
export const analyticsRoutes: FastifyPluginAsyncTypebox<{
  analytics: AnalyticsStore, agents: AgentStore, unknowns: Unknowns, clock: Clock
}> = async (app, { analytics, agents, unknowns, clock }) => {
  async function answer (
    request: FastifyRequest, reply: FastifyReply, owner: number, { format, ...asked }: Query, agent?: number
  ) {
    const { from, to } = daysAsked(asked, clock.micros())
    const wanted = { from, to, agent }
    const sums = await analytics.sums(owner, wanted)
    const byDay = Map.groupBy(sums, ({ day }) => day)
    const days = Array.from({ length: to - from + 1 }, (_, i) => ({
      day: dateOf(from + i), ...figuresOf(byDay.get(from + i) ?? [])
    }))
    if (format === 'csv' || (format === undefined && /\btext\/csv\b/.test(request.headers.accept ?? ''))) {
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="analytics.csv"')
        .send(csvOf(days) as never)
    }
    const data = {
      from: dateOf(from),
      to: dateOf(to),
      total: figuresOf(sums),
      days,
      top_sources: await analytics.sources(owner, wanted),
      top_unknown: await unknowns(owner, agent)
    }
    return { status: 'success' as const, message: 'Figures retrieved successfully', data }
  }

  app.get(
    '/analytics',
    {
      schema: {
        tags,
        operationId: 'getAnalytics',
        summary: 'Read the figures of all agents',
        description,
        querystring: Query,
        response: { 200: AnalyticsAnswer }
      },
      config: { permit: ['VIEW_ANALYTICS'] }
    },
    async (request, reply) => (await answer(request, reply, request.caller.account.id, request.query)) as never
  )

  app.get(
    '/agents/:id/analytics',
    {
      schema: {
        tags,
        operationId: 'getAgentAnalytics',
        summary: 'Read the figures of an agent',
        description,
        params: Type.Object({ id: PathId }),
        querystring: Query,
        response: { 200: AnalyticsAnswer }
      },
      config: { permit: ['VIEW_ANALYTICS'] }
    },
    async (request, reply) => {
      const {
        caller: {
          account: { id: owner }
        },
        params: { id }
      } = request
      if ((await agents.ownerOf(id)) !== owner) noAgent()
      return (await answer(request, reply, owner, request.query, id)) as never
    }
  )
}
