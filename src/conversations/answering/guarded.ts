import type { AgentRecord } from '../../../schema/agents.ts'
import type { GuardRule } from '../../../schema/guards.ts'
import { guarded, maskedBy, prepared, rulesFor } from '../../guards/index.ts'
import type { KnownLanguage } from '../../search/words/of-message.ts'
import type { Remark, Turn } from '../contract.ts'
import type { Answer } from '../life/decision.ts'
import type { Draft } from './draft.ts'

/*
 * What rules make of a question before anything is done with it, and of an answer before anybody sees it.
 */

/** Remarks that are looked at: no more is remembered. */
const REMEMBERED = 40

/**
 * A turn without what is masked, and without what was asked before and not answered by the agent; the rule that decides
 * about it, and whether that was found only now.
 */
export async function askedThrough (
  turn: Turn, known: KnownLanguage
): Promise<{ asked: Turn, verdict: GuardRule | undefined, isNew: boolean }> {
  const { behavior: { guardRules: rules } } = turn.agent
  if (rulesFor(rules, 'asked').length === 0) return { asked: turn, verdict: undefined, isNew: false }
  await prepared(turn.message, rules, 'asked', known)
  const { text: message, verdict } = guarded(turn.message, rules, 'asked', known, turn.decided)
  const isNew = verdict !== undefined && !(turn.decided ?? []).includes(verdict.name)
  if (verdict) return { asked: turn, verdict, isNew }
  const history: Remark[] = []
  for (const remark of turn.history.slice(-REMEMBERED)) {
    // What is kept was looked at when it was said.
    if (remark.role !== 'visitor' || remark.guarded) {
      if (!isDecided(remark)) history.push(remark)
      continue
    }
    await new Promise(setImmediate)
    await prepared(remark.text, rules, 'asked', known)
    const before = guarded(remark.text, rules, 'asked', known)
    if (!before.verdict) history.push({ ...remark, text: before.text })
  }
  return { asked: { ...turn, message, history }, verdict, isNew }
}

const isDecided = ({ guarded: notes = [] }: Remark) => notes.some(({ did }) => did !== 'mask')

/** Whether rules look at an agent's answers: they are shown whole then. */
export const looksAtAnswers = ({ behavior }: Pick<AgentRecord, 'behavior'>) =>
  rulesFor(behavior.guardRules, 'answered').length > 0

/** By what an answer is looked at; `notice`: what stands before it; `said`: what is said where a rule decides. */
interface Looking {
  agent: AgentRecord
  draft: Draft
  notice: string
  known: KnownLanguage
  said: (rule: GuardRule) => Answer
}

/** An answer that is held back until rules have looked at all of it: a part of it may be what nobody is to see. */
export async function * answeredThrough (
  pieces: AsyncGenerator<string, Answer>, { agent, draft, notice, known, said }: Looking
): AsyncGenerator<string, Answer> {
  for (;;) {
    const { done, value } = await pieces.next()
    if (!done) {
      // That something is being done is told all the same.
      yield ''
      continue
    }
    await prepared(value.text, agent.behavior.guardRules, 'answered', { spoken: known.spoken ?? [] })
    const answer = looked(value, agent, notice, known, said)
    Object.assign(draft, { by: answer.answered_by, cite: (seen: string) => seen ? answer.citations : [] })
    yield answer.text
    return answer
  }
}

function looked (
  answer: Answer, { behavior: { guardRules: rules } }: AgentRecord, notice: string, known: KnownLanguage,
  said: (rule: GuardRule) => Answer
): Answer {
  const own = answer.text.startsWith(notice) ? answer.text.slice(notice.length) : answer.text
  const { text, verdict, notes } = guarded(own, rules, 'answered', { spoken: known.spoken ?? [] })
  if (verdict) {
    const { run } = answer
    const decided = said(verdict)
    return { ...decided, text: notice + decided.text, ...(run && { run }), guarded: notes }
  }
  const citations = answer.citations.map((one) => ({
    ...one, quote: maskedBy(one.quote, rules, 'answered', known), title: maskedBy(one.title, rules, 'answered', known)
  }))
  return { ...answer, text: text === own ? answer.text : notice + text, citations, guarded: notes }
}
