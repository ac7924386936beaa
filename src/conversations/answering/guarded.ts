import type { AgentRecord } from '../../../schema/agents.ts'
import type { GuardRule } from '../../../schema/guards.ts'
import { decides, guarded, maskedBy, prepared, rulesFor } from '../../guards/index.ts'
import type { KnownLanguage } from '../../search/words/of-message.ts'
import type { HistoryMessage, Turn } from '../contract.ts'
import type { Answer } from '../life/decision.ts'
import type { Draft } from '../generation.ts'
import { nextTurn } from '../../platform/work/turns.ts'

/*
 * Applies rules to a question before anything is done with it, and to an answer before anybody sees it.
 */

/** Most earlier messages checked and remembered. */
const REMEMBERED = 40

/**
 * A turn with masked parts removed, and without earlier questions the agent did not answer; the rule that decides about
 * it, and whether that was found only now.
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
  const history: HistoryMessage[] = []
  for (const remark of turn.history.slice(-REMEMBERED)) {
    // Stored messages were checked when sent.
    if (remark.role !== 'visitor' || remark.guarded) {
      if (!isDecided(remark)) history.push(remark)
      continue
    }
    await nextTurn()
    await prepared(remark.text, rules, 'asked', known)
    const before = guarded(remark.text, rules, 'asked', known)
    if (!before.verdict) history.push({ ...remark, text: before.text })
  }
  return { asked: { ...turn, message, history }, verdict, isNew }
}

const isDecided = ({ guarded: notes = [] }: HistoryMessage) => notes.some(({ did }) => decides(did))

/** Whether rules check an agent's answers. */
export const looksAtAnswers = ({ behavior }: Pick<AgentRecord, 'behavior'>) =>
  rulesFor(behavior.guardRules, 'answered').length > 0

/** What an answer is checked with; `notice`: what comes before it; `said`: what is said if a rule decides. */
interface Looking {
  agent: AgentRecord
  draft: Draft
  notice: string
  known: KnownLanguage
  said: (rule: GuardRule) => Answer
}

/** Whether they may change answers: these are shown whole then. Tags do not change the text. */
const mayChangeAnswers = ({ behavior }: Pick<AgentRecord, 'behavior'>) =>
  rulesFor(behavior.guardRules, 'answered').some(({ do: does }) => does !== 'tag')

/**
 * An answer held back until rules have checked all of it, if they may change it: a part of it may be what nobody should
 * see.
 */
export async function * answeredThrough (
  pieces: AsyncGenerator<string, Answer>, { agent, draft, notice, known, said }: Looking
): AsyncGenerator<string, Answer> {
  const isHeld = mayChangeAnswers(agent)
  for (;;) {
    const { done, value } = await pieces.next()
    if (!done) {
      // That something is being done is shown anyway.
      yield isHeld ? '' : value
      continue
    }
    await prepared(value.text, agent.behavior.guardRules, 'answered', { spoken: known.spoken ?? [] })
    const answer = looked(value, agent, notice, known, said)
    if (!isHeld) return answer
    Object.assign(draft, { by: answer.answered_by, cite: (seen: string) => seen ? answer.citations : [] })
    yield answer.text
    return answer
  }
}

function looked (
  answer: Answer, { behavior: { guardRules: rules } }: AgentRecord, notice: string, known: KnownLanguage,
  said: (rule: GuardRule) => Answer
): Answer {
  const withoutNotice = answer.text.startsWith(notice) ? answer.text.slice(notice.length) : answer.text
  const { text, verdict, notes, tags } = guarded(withoutNotice, rules, 'answered', { spoken: known.spoken ?? [] })
  if (verdict) {
    const { run } = answer
    const decided = said(verdict)
    return { ...decided, text: notice + decided.text, ...(run && { run }), guarded: notes, tags }
  }
  const citations = answer.citations.map((one) => ({
    ...one, quote: maskedBy(one.quote, rules, 'answered', known), title: maskedBy(one.title, rules, 'answered', known)
  }))
  return { ...answer, text: text === withoutNotice ? answer.text : notice + text, citations, guarded: notes, tags }
}
