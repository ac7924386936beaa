import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, nullable, PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalid } from '../../platform/errors.ts'
import { dateOf, dayOf, dayOfDate, type Ledger, type UsageLine } from './ledger.ts'

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
}), { title: 'UsageAnswer', description: 'Sums by day and model' })

const DAYS = 30
const MOST_DAYS = 366

/** What language models took: by day and model. */
export const usageRoutes: FastifyPluginAsyncTypebox<{ ledger: Ledger, clock: Clock }> = async (app, { ledger, clock }) => {
  app.get('/usage', {
    schema: {
      tags: ['Usage'],
      operationId: 'getUsage',
      summary: 'Read what models took',
      description: 'Tokens and cost by day (UTC) and model; the last 30 days without `from` and `to`, 366 at most.',
      querystring: Type.Object({ from: Type.Optional(date), to: Type.Optional(date), agent: Type.Optional(PathId) }, closed),
      response: { 200: Usage }
    },
    config: { permit: ['VIEW_ANALYTICS'] }
  }, async ({ caller, query: { agent, ...asked } }) => {
    const to = dayIn('to', asked.to) ?? dateOf(dayOf(clock.micros()))
    const from = dayIn('from', asked.from) ?? dateOf(dayOfDate(to) - DAYS + 1)
    const days = dayOfDate(to) - dayOfDate(from) + 1
    if (days < 1 || days > MOST_DAYS) throw invalid({ field: 'from', message: `from must not be after to, and not more than ${MOST_DAYS - 1} days before it.` })
    const lines = await ledger.usage(caller.account.id, { from, to, ...(agent !== undefined && { agent }) })
    return { status: 'success' as const, message: 'Usage retrieved successfully', data: { from, to, total: totalOf(lines), days: lines } }
  })
}

/** A day that is in the calendar. */
function dayIn (field: string, date: string | undefined): string | undefined {
  if (date === undefined) return undefined
  const day = dayOfDate(date)
  if (Number.isNaN(day) || dateOf(day) !== date) throw invalid({ field, message: `${field} must be a day of the calendar, such as 2026-11-20.` })
  return date
}

/** Millionths are what the ledger keeps; a sum of fractions has more digits than it knows. */
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
