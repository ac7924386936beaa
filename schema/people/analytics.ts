import { Type, type Static } from '@sinclair/typebox'
import { Id, nullable, oneOf } from '../common.ts'
import { GuardNote } from '../guards.ts'

/** What episodes have in common that sums are made of. */
export const FIGURE_PARTS = ['language', 'channel', 'version', 'tag', 'person'] as const
export type FigurePart = typeof FIGURE_PARTS[number]

const count = (description: string) => Type.Integer({ description })
const Times = Type.Union([
  Type.Object(
    { p50: Type.Integer(), p95: Type.Integer() },
    {
      title: 'Times',
      description: 'Milliseconds, within 3 %: half of them took less than p50, 95 of 100 less than p95'
    }
  ),
  Type.Null()
])
const Day = Type.String({ examples: ['2026-11-20'] })

/** How content visitors were, on the day on which they were asked. */
const Contentment = Type.Object(
  {
    asked: Type.Integer(),
    answers: Type.Integer(),
    average: nullable(Type.Number({ description: 'From 1, not at all, to 5, very content; null where nobody answered' }))
  },
  { title: 'Contentment' }
)

/** What happened in some time. */
const figures = {
  conversations: count('Begun'),
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
        'Episodes by how they ended, on the day on which they did; a resolution that the visitor came back from is taken back'
    }
  ),
  reopened: count('Visitors who came back after the end'),
  deflection: nullable(
    Type.Number({
      description:
        'Share of the episodes that ended resolved, confirmed or assumed, of all that ended; null where none did'
    })
  ),
  unknown: count('Answers that said "I do not know"'),
  guarded: count('Messages on which a guard rule has acted'),
  first_answer_ms: Times,
  first_person_ms: Times,
  feedback: Type.Object({ up: Type.Integer(), down: Type.Integer() }, { title: 'FeedbackCounts' }),
  tokens: Type.Object({ input: Type.Integer(), output: Type.Integer() }, { title: 'TokenCounts' }),
  cost: nullable(Type.Number({ description: 'In the currency of the price list; null where no price is known' })),
  cost_per_resolved: nullable(Type.Number({
    description: 'What all answers cost, for each conversation that was resolved; null where none was, or no price is known'
  })),
  overdue: count('Replies of people that were later than the targets of the account'),
  satisfaction: Contentment
}

/** Sums over some days. */
export const Figures = Type.Object(figures, { title: 'Figures' })
export type Figures = Static<typeof Figures>

/** How often a guard rule has acted. */
export const RuleActed = Type.Object({
  ...GuardNote.properties, times: Type.Integer()
}, { title: 'RuleActed' })
export type RuleActed = Static<typeof RuleActed>

/** What an account, or one of its agents, did from one day to another. */
export const Analytics = Type.Object(
  {
    from: Day,
    to: Day,
    total: Figures,
    days: Type.Array(Type.Object({ day: Day, ...figures }, { title: 'FiguresOfDay' })),
    top_sources: Type.Array(
      Type.Object(
        {
          source: Id,
          title: nullable(Type.String({ description: 'null: it was removed meanwhile' })),
          answers: Type.Integer()
        },
        { title: 'TopSource' }
      ),
      { description: 'Those that most answers name' }
    ),
    rules: Type.Array(RuleActed, { description: 'Guard rules by how often they have acted, by their names' }),
    top_unknown: Type.Array(
      Type.Object(
        { question: Type.String({ description: 'Without names, addresses and numbers' }), times: Type.Integer() },
        { title: 'TopUnknown' }
      ),
      { description: 'What the agent was asked most often and did not know, in conversations that are still kept' }
    )
  },
  { title: 'Analytics' }
)
export type Analytics = Static<typeof Analytics>

/** What the episodes that ended in some time, and that have something in common, came to. */
export const PartFigures = Type.Object(
  {
    value: Type.String({
      description: 'The language, channel, version of the agent, tag or member; empty where it is not known, or there is none'
    }),
    episodes: count('Episodes that ended'),
    resolved: count('Those that ended resolved, confirmed or assumed, and that the visitor did not come back from'),
    handed_off: count('Those in which a person answered'),
    ticketed: count('Those that ended with a ticket'),
    deflection: figures.deflection,
    answers: count('Answers of the agent in them'),
    unknown: count('Answers that said "I do not know"'),
    overdue: count('Replies of people that were later than the targets'),
    satisfaction: Type.Object(
      { answers: Type.Integer(), average: Contentment.properties.average }, { title: 'PartContentment' }
    ),
    cost: figures.cost,
    cost_per_resolved: figures.cost_per_resolved
  },
  { title: 'PartFigures' }
)
export type PartFigures = Static<typeof PartFigures>

/** Figures by something that conversations have in common. */
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
