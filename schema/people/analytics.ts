import { Type, type Static } from '@sinclair/typebox'
import { Id, nullable } from '../common.ts'

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
  first_answer_ms: Times,
  first_person_ms: Times,
  feedback: Type.Object({ up: Type.Integer(), down: Type.Integer() }, { title: 'FeedbackCounts' }),
  tokens: Type.Object({ input: Type.Integer(), output: Type.Integer() }, { title: 'TokenCounts' }),
  cost: nullable(Type.Number({ description: 'In the currency of the price list; null where no price is known' }))
}

/** Sums over some days. */
export const Figures = Type.Object(figures, { title: 'Figures' })
export type Figures = Static<typeof Figures>

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
