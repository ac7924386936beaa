import type { Figures, RuleActed } from '../../schema/people/analytics.ts'
import type { ConversationRecord, MessageRecord, Outcome } from '../../schema/conversations.ts'
import type { SatisfactionRecord } from '../../schema/satisfaction.ts'
import { dayOf, isOfDraft } from '../conversations/index.ts'
import type { Happening } from '../platform/work/announcements.ts'
import type { Work } from '../platform/storage/work.ts'

/*
 * What is counted of what happens, and how sums are read, as pure functions: a sum is the same whether it was kept as
 * things happened, or is made anew from the rows of conversations, messages and episodes.
 */

/** Something that is summed. `key`: a source, or a class of times; 0 elsewhere. */
export interface Increment { day: number, name: string, key: number, n: number }

/** How an episode ended, as its row has it. */
export interface Ended { outcome: Outcome, ended_at: string, asked_at: string | null, taken_at: string | null }

/** Prices have fractions of a cent: summed in millionths. */
const MILLIONTHS = 1_000_000
/** Classes of times in a doubling: each is 4 % wide. */
const CLASSES = 16

/** Before what a rule did, and its name. */
const RULE = 'rule/'

/** Days since 1970 of a timestamp. */
export const dayAt = (at: string) => dayOf(Date.parse(at) * 1000)

/** What a new conversation counts for. */
export function ofConversation ({ created_at: at }: ConversationRecord): Increment[] {
  return [one(dayAt(at), 'conversations')]
}

/**
 * What a message counts for once it is whole, on the day it was asked for. `isFirst`: the first answer of its
 * conversation.
 */
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

/** What a judgement counts for, on the day of the answer; `before`: what the visitor thought of it until then. */
export function ofFeedback ({ created_at: at, feedback }: MessageRecord, before: 1 | -1 | null): Increment[] {
  const day = dayAt(at)
  const named = (score: 1 | -1, n: number) => one(day, score === 1 ? 'feedback.up' : 'feedback.down', 0, n)
  return [...before === null ? [] : [named(before, -1)], ...feedback ? [named(feedback.score, 1)] : []]
}

/** What the end of an episode counts for. */
export function ofEnd ({ outcome, ended_at: at, asked_at: asked, taken_at: taken }: Ended): Increment[] {
  const day = dayAt(at)
  const waited =
    asked !== null && taken !== null ? [one(day, 'first_person', classOf(Date.parse(taken) - Date.parse(asked)))] : []
  return [one(day, `outcome.${outcome}`), ...waited]
}

/** What a visitor's coming back after the end counts for: a resolution was none. */
export function ofReturn ({ outcome, ended_at: ended }: Ended, at: string): Increment[] {
  const taken = outcome.startsWith('resolved') ? [one(dayAt(ended), `outcome.${outcome}`, 0, -1)] : []
  return [one(dayAt(at), 'reopened'), ...taken]
}

/** What an answer of how content a visitor was counts for, on the day on which they were asked. */
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

/** What is to be looked up before something that happens can be counted. */
export interface Lookup {
  /** Whether this is the first answer of its conversation. */
  isFirst (message: MessageRecord): Work<boolean>
  /** How the episode ended before this one. */
  last (conversation: ConversationRecord): Work<Ended | undefined>
}

/** Whether somebody of the team tries an agent out: that is counted nowhere. */
export function isOwnTrying ({ data }: Happening): boolean {
  return 'conversation' in data && isOfDraft(data.conversation)
}

/** What something that happens counts for. */
export function * incrementsOf (happening: Happening, { isFirst, last }: Lookup): Work<Increment[]> {
  if (isOwnTrying(happening)) return []
  if (happening.type === 'satisfaction.asked') {
    return [one(dayAt(happening.data.satisfaction.asked_at), 'satisfaction.asked')]
  }
  if (happening.type === 'satisfaction.given') return ofSatisfaction(happening.data.satisfaction, happening.data.before)
  if (happening.type === 'handoff.overdue') return [one(dayAt(happening.data.conversation.overdue_at!), 'overdue')]
  if (happening.type === 'conversation.created') return ofConversation(happening.data.conversation)
  if (happening.type === 'message.completed') return ofMessage(happening.data.message, yield * isFirst(happening.data.message))
  if (happening.type === 'feedback.given') return ofFeedback(happening.data.message, happening.data.before)
  if (happening.type === 'conversation.closed') {
    const { outcome, closed_at: at, course: { asked_at: asked, taken_at: taken } } = happening.data.conversation
    return outcome === null || at === null ? [] : ofEnd({ outcome, ended_at: at, asked_at: asked, taken_at: taken })
  }
  if (happening.type === 'conversation.reopened') {
    const { conversation } = happening.data
    const ended = yield * last(conversation)
    return ended ? ofReturn(ended, conversation.updated_at) : []
  }
  return []
}

/** The class of a time in milliseconds. */
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

/** The figures of some sums: of a day, or of all of them. */
export function figuresOf (sums: ReadonlyArray<Omit<Increment, 'day'>>): Figures {
  const totals = new Map<string, number>()
  for (const { name, n } of sums) totals.set(name, (totals.get(name) ?? 0) + n)
  const total = (name: string) => totals.get(name) ?? 0
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, total(`outcome.${name}`)])) as Figures['outcomes']
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

/** What models took, and what each resolution took with it; null where no price is known, or nothing was resolved. */
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

/** To two places; null where nobody answered. */
export function averageOf (answers: number, sum: number): number | null {
  return answers > 0 ? Math.round(sum / answers * 100) / 100 : null
}

/** How often each rule has acted, the most often first. */
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

/** The days as a table for a spreadsheet. */
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
  const names = Object.keys(rows[0]!) as Array<keyof typeof rows[number]>
  // Numbers and dates alone: nothing in it that a spreadsheet would take for a formula.
  return [names.join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(','))].join('\r\n') + '\r\n'
}

function prefixed (prefix: string, counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [`${prefix}_${name}`, n]))
}
