import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Analytics, AnalyticsBy, FIGURE_PARTS } from '../../schema/people/analytics.ts'
import { closed, Id, oneOf, PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { route } from '../access/index.ts'
import { noAgent, type AgentStore } from '../agents/index.ts'
import { dateOf, daysAsked } from '../conversations/index.ts'
import type { Unknowns } from '../learning/index.ts'
import type { Clock } from '../platform/clock.ts'
import { ok, raw } from '../platform/http/resources/answer.ts'
import { csvOf, figuresOf, rulesOf } from './figures.ts'
import { figuresBy } from './parts.ts'
import type { AnalyticsStore } from './store.ts'

const AnalyticsAnswer = success(Analytics, {
  title: 'AnalyticsAnswer',
  description: 'The figures; with `Accept: text/csv` or `format=csv`, a table with one line per day'
})
const date = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', maxLength: 10, examples: ['2026-11-20'] })
const Query = Type.Object(
  { from: Type.Optional(date), to: Type.Optional(date), format: Type.Optional(oneOf(['json', 'csv'])) }, closed
)
const PartQuery = Type.Object({
  by: Type.Optional(oneOf(FIGURE_PARTS, { description: 'Default: `language`' })),
  from: Type.Optional(date),
  to: Type.Optional(date),
  agent: Type.Optional(Id)
}, closed)
type Query = { from?: string, to?: string, format?: 'json' | 'csv' }
const tag = 'Usage'
const who = ['VIEW_ANALYTICS'] as const
const description =
  'By day (UTC). Default without `from` and `to`: the last 30 days; at most 366 days. Totals are kept when conversations are removed.'

/** What agents did: by day, and what stood out. */
export const analyticsRoutes: FastifyPluginAsync<{
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
        .send(csvOf(days))
    }
    const data = {
      from: dateOf(from),
      to: dateOf(to),
      total: figuresOf(sums),
      open_handoffs: await analytics.open(owner, agent),
      days,
      top_sources: await analytics.sources(owner, wanted),
      rules: rulesOf(sums),
      top_unknown: await unknowns(owner, agent)
    }
    return { status: 'success', message: 'Figures retrieved successfully', data }
  }

  app.route(route({
    get: '/analytics',
    id: 'getAnalytics',
    tag,
    summary: 'Read the figures of all agents',
    description,
    who,
    query: Query,
    answer: raw({ 200: AnalyticsAnswer }),
    handle: ({ owner, query, request, reply }) => answer(request, reply, owner, query)
  }))

  app.route(route({
    get: '/agents/:id/analytics',
    id: 'getAgentAnalytics',
    tag,
    summary: 'Read the figures of an agent',
    description,
    who,
    params: Type.Object({ id: PathId }),
    query: Query,
    answer: raw({ 200: AnalyticsAnswer }),
    handle: async ({ owner, params: { id }, query, request, reply }) => {
      if ((await agents.ownerOf(id)) !== owner) noAgent()
      return await answer(request, reply, owner, query, id)
    }
  }))

  app.route(route({
    get: '/analytics/parts',
    id: 'getAnalyticsParts',
    tag,
    summary: 'Read the figures by dimension',
    description:
      'Groups the episodes that ended on these days (UTC; default without `from` and `to`: the last 30 days; at most 366) by language, channel, version, tag or person, as they were at the time. An episode with several tags counts for each of them. Tests by team members are not counted.',
    who,
    query: PartQuery,
    answer: ok(
      success(AnalyticsBy, { title: 'AnalyticsByAnswer', description: 'The figures' }), 'Figures retrieved successfully'
    ),
    handle: async ({ owner, query: { agent, by = 'language', ...asked } }) => {
      if (agent !== undefined && (await agents.ownerOf(agent)) !== owner) noAgent()
      const { from, to } = daysAsked(asked, clock.micros())
      const sums = await analytics.parts(owner, by, { from, to, agent })
      return { from: dateOf(from), to: dateOf(to), by, parts: figuresBy(sums) }
    }
  }))
}
