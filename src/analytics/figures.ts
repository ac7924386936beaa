import type { Figures, RuleActed } from '../../schema/people/analytics.ts'
import type { ConversationRecord, MessageRecord, Outcome } from '../../schema/conversations.ts'
import type { SatisfactionRecord } from '../../schema/satisfaction.ts'
import { dayOf, isOfDraft } from '../conversations/index.ts'
import type { DomainEventOf } from '../platform/work/event-bus.ts'
import type { Work } from '../platform/storage/work.ts'
import { fromKeys, keysOf } from '../../schema/typed.ts'

/*
 * What is counted for each event, and how sums are read, as pure functions: a sum is the same whether it was updated
 * event by event, or is recomputed from the rows of conversations, messages and episodes.
 */

/** A summed quantity. `key`: a source, or a class of durations; 0 elsewhere. */
export interface Increment { day: number, name: string, key: number, n: number }

/** How an episode ended, as its row has it. */
export interface Ended { outcome: Outcome, ended_at: string, asked_at: string | null, taken_at: string | null }

/** Prices have fractions of a cent: summed in millionths. */
const MILLIONTHS = 1_000_000
/** Classes of durations per doubling: each is 4 % wide. */
const CLASSES = 16

/** Prefix of a rule's effect and name. */
const RULE = 'rule/'

/** Days since 1970 of a timestamp. */
export const dayAt = (at: string) => dayOf(Date.parse(at) * 1000)

/** Counts for a new conversation. */
export function ofConversation ({ created_at: at }: ConversationRecord): Increment[] {
  return [one(dayAt(at), 'conversations')]
}

/** Counts for a complete message, on the day of its question. `isFirst`: the first answer of its conversation. */
export function ofMessage (
  { role, created_at: at, unknown, usage, citations, guarded }: MessageRecord, isFirst: boolean
): Increment[] {
  if (role === 'system') return []
  const day = dayAt(at)
  const sources = new Set(citations.map(({ source }) => source))
  return [
    one(day, `messages.${role}`),
    ...(unknown ? [one(day, 'unknown')] : []),
    ...(guarded.length > 0 ? [one(day, 'guarded')] : []),
    ...guarded.map(({ rule, did }) => one(day, `${RULE}${did}/${rule}`)),
    ...[...sources].map((source) => one(day, 'source', source)),
    ...(isFirst && usage?.first_ms != null ? [one(day, 'first_answer', classOf(usage.first_ms))] : []),
    ...(usage
      ? [one(day, 'tokens.input', 0, usage.input_tokens), one(day, 'tokens.output', 0, usage.output_tokens)]
      : []),
    ...(usage?.cost != null ? [one(day, 'cost', 0, Math.round(usage.cost * MILLIONTHS))] : [])
  ].filter(({ n }) => n !== 0)
}

/** Counts for a rating, on the day of the answer; `before`: the visitor's previous rating. */
export function ofFeedback ({ created_at: at, feedback }: MessageRecord, before: 1 | -1 | null): Increment[] {
  const day = dayAt(at)
  const named = (score: 1 | -1, n: number) => one(day, score === 1 ? 'feedback.up' : 'feedback.down', 0, n)
  return [...before === null ? [] : [named(before, -1)], ...feedback ? [named(feedback.score, 1)] : []]
}

/** Counts for the end of an episode. */
export function ofEnd ({ outcome, ended_at: at, asked_at: asked, taken_at: taken }: Ended): Increment[] {
  const day = dayAt(at)
  const waited =
    asked !== null && taken !== null ? [one(day, 'first_person', classOf(Date.parse(taken) - Date.parse(asked)))] : []
  return [one(day, `outcome.${outcome}`), ...waited]
}

/** Counts for a visitor's return after the end: it was not resolved. */
export function ofReturn ({ outcome, ended_at: ended }: Ended, at: string): Increment[] {
  const taken = outcome.startsWith('resolved') ? [one(dayAt(ended), `outcome.${outcome}`, 0, -1)] : []
  return [one(dayAt(at), 'reopened'), ...taken]
}

/** Counts for a satisfaction answer, on the day on which the visitor was asked. */
function ofSatisfaction (
  { score, asked_at: at }: Pick<SatisfactionRecord, 'score' | 'asked_at'>, before: number | null
): Increment[] {
  const day = dayAt(at)
  return [
    ...before === null ? [] : [one(day, 'satisfaction', before, -1)],
    ...score === null ? [] : [one(day, 'satisfaction', score)]
  ]
}

const one = (day: number, name: string, key = 0, n = 1): Increment => ({ day, name, key, n })

/** Look-ups needed before an event can be counted. */
export interface Lookup {
  /** Whether this is the first answer of its conversation. */
  isFirst (message: MessageRecord): Work<boolean>
  /** How the episode ended before this one. */
  last (conversation: ConversationRecord): Work<Ended | undefined>
}

/** The events that are counted. */
export const COUNTED = [
  'satisfaction.asked', 'satisfaction.given', 'handoff.overdue', 'conversation.created', 'message.completed',
  'feedback.given', 'conversation.closed', 'conversation.reopened'
] as const

/** Whether a team member is testing an agent: that is not counted. */
export function isTrial ({ data }: DomainEventOf<typeof COUNTED[number]>): boolean {
  return 'conversation' in data && isOfDraft(data.conversation)
}

/** Counts for an event. */
export function * incrementsOf (
  happened: DomainEventOf<typeof COUNTED[number]>, { isFirst, last }: Lookup
): Work<Increment[]> {
  if (isTrial(happened)) return []
  if (happened.type === 'satisfaction.asked') {
    return [one(dayAt(happened.data.satisfaction.asked_at), 'satisfaction.asked')]
  }
  if (happened.type === 'satisfaction.given') return ofSatisfaction(happened.data.satisfaction, happened.data.before)
  if (happened.type === 'handoff.overdue') return [one(dayAt(happened.data.conversation.overdue_at!), 'overdue')]
  if (happened.type === 'conversation.created') return ofConversation(happened.data.conversation)
  if (happened.type === 'message.completed') {
    return ofMessage(happened.data.message, yield * isFirst(happened.data.message))
  }
  if (happened.type === 'feedback.given') return ofFeedback(happened.data.message, happened.data.before)
  if (happened.type === 'conversation.closed') {
    const { outcome, closed_at: at, course: { asked_at: asked, taken_at: taken } } = happened.data.conversation
    return outcome === null || at === null ? [] : ofEnd({ outcome, ended_at: at, asked_at: asked, taken_at: taken })
  }
  const { conversation } = happened.data
  const ended = yield * last(conversation)
  return ended ? ofReturn(ended, conversation.updated_at) : []
}

/** The class of a duration in milliseconds. */
export function classOf (ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(CLASSES * Math.log2(ms))
}

/** The middle of a class, in milliseconds. */
export function msOf (key: number): number {
  return key === 0 ? 0 : Math.round(2 ** ((key - 0.5) / CLASSES))
}

const OUTCOMES = [
  'resolved_confirmed', 'resolved_assumed', 'handed_off', 'ticketed', 'unanswered', 'abandoned'
] as const

/** The figures of some sums: of a day, or of a whole period. */
export function figuresOf (sums: ReadonlyArray<Omit<Increment, 'day'>>): Figures {
  const totals = new Map<string, number>()
  for (const { name, n } of sums) totals.set(name, (totals.get(name) ?? 0) + n)
  const total = (name: string) => totals.get(name) ?? 0
  const outcomes = fromKeys(OUTCOMES, (name) => total(`outcome.${name}`))
  const ended = Object.values(outcomes).reduce((sum, n) => sum + n, 0)
  const resolved = outcomes.resolved_confirmed + outcomes.resolved_assumed
  return {
    conversations: total('conversations'),
    messages: { visitor: total('messages.visitor'), agent: total('messages.agent'), person: total('messages.person') },
    outcomes,
    reopened: total('reopened'),
    deflection: ended > 0 ? Math.round(resolved / ended * 10_000) / 10_000 : null,
    unknown: total('unknown'),
    guarded: total('guarded'),
    first_answer_ms: timesOf(sums, 'first_answer'),
    first_person_ms: timesOf(sums, 'first_person'),
    feedback: { up: total('feedback.up'), down: total('feedback.down') },
    overdue: total('overdue'),
    satisfaction: contentment(sums, total('satisfaction.asked')),
    tokens: { input: total('tokens.input'), output: total('tokens.output') },
    ...costs(totals.get('cost'), resolved)
  }
}

/** Usage of models, in total and for each resolution; null if no price is known, or nothing was resolved. */
export function costs (millionths: number | undefined, resolved: number): Pick<Figures, 'cost' | 'cost_per_resolved'> {
  if (millionths === undefined) return { cost: null, cost_per_resolved: null }
  const each = resolved > 0 ? Math.round(millionths / resolved) / MILLIONTHS : null
  return { cost: millionths / MILLIONTHS, cost_per_resolved: each }
}

function contentment (sums: ReadonlyArray<Omit<Increment, 'day'>>, asked: number): Figures['satisfaction'] {
  const given = sums.filter(({ name }) => name === 'satisfaction')
  const answers = given.reduce((sum, { n }) => sum + n, 0)
  return { asked, answers, average: averageOf(answers, given.reduce((sum, { key, n }) => sum + key * n, 0)) }
}

/** Rounded to two places; null if nobody answered. */
export function averageOf (answers: number, sum: number): number | null {
  return answers > 0 ? Math.round(sum / answers * 100) / 100 : null
}

/** How often each rule acted, most often first. */
export function rulesOf (sums: ReadonlyArray<Omit<Increment, 'day'>>): RuleActed[] {
  const times = new Map<string, number>()
  for (const { name, n } of sums) if (name.startsWith(RULE)) times.set(name, (times.get(name) ?? 0) + n)
  return [...times]
    .map(([name, n]) => {
      const [, did = '', ...rule] = name.split('/')
      return { rule: rule.join('/'), did: did as RuleActed['did'], times: n }
    })
    .sort((a, b) => b.times - a.times || (a.rule < b.rule ? -1 : 1))
}

function timesOf (sums: ReadonlyArray<Omit<Increment, 'day'>>, wanted: string): Figures['first_answer_ms'] {
  const byClass = new Map<number, number>()
  for (const { name, key, n } of sums) if (name === wanted) byClass.set(key, (byClass.get(key) ?? 0) + n)
  const inOrder = [...byClass].sort(([a], [b]) => a - b)
  const all = inOrder.reduce((sum, [, n]) => sum + n, 0)
  if (all === 0) return null
  const at = (share: number) => {
    let left = Math.ceil(all * share)
    const [key] = inOrder.find(([, n]) => (left -= n) <= 0)!
    return msOf(key)
  }
  return { p50: at(0.5), p95: at(0.95) }
}

/** The days as CSV for a spreadsheet. */
export function csvOf (days: ReadonlyArray<Figures & { day: string }>): string {
  const rows = days.map(
    ({
      day, messages, outcomes, feedback, tokens, satisfaction, first_answer_ms: answer, first_person_ms: person,
      ...figures
    }) => ({
      day,
      conversations: figures.conversations,
      ...prefixed('messages', messages),
      ...prefixed('outcome', outcomes),
      reopened: figures.reopened,
      deflection: figures.deflection,
      unknown: figures.unknown,
      guarded: figures.guarded,
      first_answer_ms_p50: answer?.p50 ?? null,
      first_answer_ms_p95: answer?.p95 ?? null,
      first_person_ms_p50: person?.p50 ?? null,
      first_person_ms_p95: person?.p95 ?? null,
      ...prefixed('feedback', feedback),
      ...prefixed('tokens', tokens),
      cost: figures.cost,
      cost_per_resolved: figures.cost_per_resolved,
      overdue: figures.overdue,
      satisfaction_asked: satisfaction.asked,
      satisfaction_answers: satisfaction.answers,
      satisfaction_average: satisfaction.average
    })
  )
  const names = keysOf(rows[0]!)
  // Numbers and dates alone: nothing that a spreadsheet would take for a formula.
  return [names.join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(','))].join('\r\n') + '\r\n'
}

function prefixed (prefix: string, counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [`${prefix}_${name}`, n]))
}
