import { Type, type Static } from '@sinclair/typebox'
import { Id, nullable, oneOf } from '../common.ts'
import { GuardNote } from '../guards.ts'

/** What episodes have in common, by which sums are grouped. */
export const FIGURE_PARTS = ['language', 'channel', 'version', 'tag', 'person'] as const
export type FigurePart = typeof FIGURE_PARTS[number]

const count = (description: string) => Type.Integer({ description })
const Times = Type.Union([
  Type.Object(
    { p50: Type.Integer(), p95: Type.Integer() },
    {
      title: 'Times',
      description: 'Milliseconds, accurate to 3 %: half took less than p50, 95 % less than p95'
    }
  ),
  Type.Null()
])
const Day = Type.String({ examples: ['2026-11-20'] })

/** How content visitors were, by the day on which they were asked. */
const Contentment = Type.Object(
  {
    asked: Type.Integer(),
    answers: Type.Integer(),
    average: nullable(Type.Number({ description: 'From 1 (not at all satisfied) to 5 (very satisfied); null if nobody answered' }))
  },
  { title: 'Contentment' }
)

/** Figures of a period. */
const figures = {
  conversations: count('Conversations started'),
  messages: Type.Object(
    { visitor: Type.Integer(), agent: Type.Integer(), person: Type.Integer() }, { title: 'MessageCounts' }
  ),
  outcomes: Type.Object(
    {
      resolved_confirmed: Type.Integer(),
      resolved_assumed: Type.Integer(),
      handed_off: Type.Integer(),
      ticketed: Type.Integer(),
      unanswered: Type.Integer(),
      abandoned: Type.Integer()
    },
    {
      title: 'OutcomeCounts',
      description:
        'Episodes by outcome, on the day they ended; a resolution is subtracted again if the visitor comes back'
    }
  ),
  reopened: count('Visitors who came back after an episode ended'),
  deflection: nullable(
    Type.Number({
      description:
        'Share of ended episodes that were resolved, confirmed or assumed; null if none ended'
    })
  ),
  unknown: count('Answers that said "I do not know"'),
  guarded: count('Messages on which a guard rule acted'),
  first_answer_ms: Times,
  first_person_ms: Times,
  feedback: Type.Object({ up: Type.Integer(), down: Type.Integer() }, { title: 'FeedbackCounts' }),
  tokens: Type.Object({ input: Type.Integer(), output: Type.Integer() }, { title: 'TokenCounts' }),
  cost: nullable(Type.Number({ description: 'In the currency of the price list; null if no price is known' })),
  cost_per_resolved: nullable(Type.Number({
    description: 'Cost of all answers per resolved conversation; null if none was resolved or no price is known'
  })),
  overdue: count('Replies from people that were later than the account\'s targets'),
  satisfaction: Contentment
}

/** Sums over several days. */
export const Figures = Type.Object(figures, { title: 'Figures' })
export type Figures = Static<typeof Figures>

/** How often a guard rule acted. */
export const RuleActed = Type.Object({
  ...GuardNote.properties, times: Type.Integer()
}, { title: 'RuleActed' })
export type RuleActed = Static<typeof RuleActed>

/** Figures of an account, or of one of its agents, from one day to another. */
export const Analytics = Type.Object(
  {
    from: Day,
    to: Day,
    total: Figures,
    open_handoffs: Type.Integer({
      description: 'Conversations that wait for a person or have one now, whatever the period: they count when they end. 1,000 at most'
    }),
    days: Type.Array(Type.Object({ day: Day, ...figures }, { title: 'FiguresOfDay' })),
    top_sources: Type.Array(
      Type.Object(
        {
          source: Id,
          title: nullable(Type.String({ description: 'null: the source has been removed' })),
          answers: Type.Integer()
        },
        { title: 'TopSource' }
      ),
      { description: 'Sources that the most answers cite' }
    ),
    rules: Type.Array(RuleActed, { description: 'Guard rules that acted, most frequent first' }),
    top_unknown: Type.Array(
      Type.Object(
        { question: Type.String({ description: 'Without names, addresses and numbers' }), times: Type.Integer() },
        { title: 'TopUnknown' }
      ),
      { description: 'Most frequent questions that agents could not answer, in conversations that are still stored' }
    )
  },
  { title: 'Analytics' }
)
export type Analytics = Static<typeof Analytics>

/** Sums over the episodes of a period that have something in common. */
export const PartFigures = Type.Object(
  {
    value: Type.String({
      description: 'The language, channel, agent version, tag or member; empty if unknown or none'
    }),
    episodes: count('Episodes that ended'),
    resolved: count('Those resolved, confirmed or assumed, that the visitor did not come back from'),
    handed_off: count('Those in which a person answered'),
    ticketed: count('Those that ended with a ticket'),
    deflection: figures.deflection,
    answers: count('The agent\'s answers in them'),
    unknown: count('Answers that said "I do not know"'),
    overdue: count('Replies from people that were later than the targets'),
    satisfaction: Type.Object(
      { answers: Type.Integer(), average: Contentment.properties.average }, { title: 'PartContentment' }
    ),
    cost: figures.cost,
    cost_per_resolved: figures.cost_per_resolved
  },
  { title: 'PartFigures' }
)
export type PartFigures = Static<typeof PartFigures>

/** Figures grouped by what conversations have in common. */
export const AnalyticsBy = Type.Object(
  {
    from: Day,
    to: Day,
    by: oneOf(FIGURE_PARTS),
    parts: Type.Array(PartFigures, { description: 'Most episodes first, 100 at most' })
  },
  { title: 'AnalyticsBy' }
)
export type AnalyticsBy = Static<typeof AnalyticsBy>
