import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, nullable, PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import { daysAsked } from './days.ts'
import { dateOf, type Ledger, type UsageLine } from './ledger.ts'

const date = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', maxLength: 10, examples: ['2026-11-20'] })
const sums = {
  runs: Type.Integer(),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  cost: nullable(Type.Number({ description: 'In the currency of the price list; null where no price is known' }))
}
const Usage = success(Type.Object({
  from: date,
  to: date,
  total: Type.Object(sums),
  days: Type.Array(Type.Object({ day: date, model: Type.String(), ...sums }))
}), { title: 'UsageAnswer', description: 'Totals by day and model' })

/** Usage of language models: by day and model. */
export const usageRoutes: FastifyPluginAsync<{ ledger: Ledger, clock: Clock }> = async (app, { ledger, clock }) => {
  app.route(route({
    get: '/usage',
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Get model usage',
    description: 'Tokens and cost by day (UTC) and model: the last 30 days without `from` and `to`, at most 366.',
    who: ['VIEW_ANALYTICS'],
    query: Type.Object(
      { from: Type.Optional(date), to: Type.Optional(date), agent: Type.Optional(PathId) }, closed
    ),
    answer: ok(Usage, 'Usage retrieved successfully'),
    handle: async ({ owner, query: { agent, ...asked } }) => {
      const days = daysAsked(asked, clock.micros())
      const [from, to] = [dateOf(days.from), dateOf(days.to)]
      const lines = await ledger.usage(owner, { from, to, ...(agent !== undefined && { agent }) })
      return { from, to, total: totalOf(lines), days: lines }
    }
  }))
}

/** The ledger stores millionths; a sum of fractions has more digits than that. */
const rounded = (cost: number) => Math.round(cost * 1_000_000) / 1_000_000

function totalOf (lines: readonly UsageLine[]) {
  const sum = (of: (line: UsageLine) => number) => lines.reduce((total, line) => total + of(line), 0)
  return {
    runs: sum(({ runs }) => runs),
    input_tokens: sum((line) => line.input_tokens),
    output_tokens: sum((line) => line.output_tokens),
    cached_tokens: sum((line) => line.cached_tokens),
    cost: lines.some(({ cost }) => cost !== null) ? rounded(sum(({ cost }) => cost ?? 0)) : null
  }
}
