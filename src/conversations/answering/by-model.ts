import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { ModelError, type Choice, type Model, type Models, type Tokens } from '../../models/index.ts'
import { mayPropose } from '../hands/hands.ts'
import { isSpent, type Ledger, type Run } from '../usage/ledger.ts'
import { queriesIn, REWRITING_MS, rewritingPrompt, type Question } from './rewrite.ts'
import type { ActNeeds, Chosen } from '../acting/act.ts'
import type { TurnNeeds } from './turn.ts'
import type { Peer } from '../contract.ts'

/** What choosing and asking a model for an agent needs. */
export interface ByModelNeeds {
  models: Models
  ledger: Pick<Ledger, 'today'>
  /** What the account may use: premium models, and tokens of a day for it and for each of its agents; 0 is no limit. */
  allowanceOf: (owner: Id) => Promise<{ hasPremium: boolean, daily: { account: number, agent: number } }>
  /** Notes what was taken beside an answer. */
  noteRun: (owner: Id, run: Run) => void
  /** Milliseconds for putting a question into other words. */
  rewritingMs?: number
  /** Hears why an agent has no model, once for each reason: for the log. */
  onNone: (agent: Id, why: string) => void
}

/** Reasons told; forgotten together when there are too many. */
const TOLD = 1000

/**
 * The part of a turn that asks a model: none answers where none is set, none may be used, or the tokens of the day are
 * used up.
 */
export function byModel ({
  models, ledger, allowanceOf, onNone, noteRun, rewritingMs = REWRITING_MS
}: ByModelNeeds): Pick<TurnNeeds, 'model' | 'isSpent' | 'rewrite' | 'tokens' | 'tokenLength'> & ActNeeds {
  const told = new Set<string>()

  function tell (agent: Id, why: string) {
    const reason = `${agent} ${why}`
    if (told.has(reason)) return
    if (told.size >= TOLD) told.clear()
    told.add(reason)
    onNone(agent, why)
  }

  const isSpentFor = async ({ id, owner }: AgentRecord) =>
    isSpent(await ledger.today(owner, id), (await allowanceOf(owner)).daily)

  async function choose (agent: AgentRecord): Promise<Choice> {
    const { owner, model } = agent
    const { hasPremium } = await allowanceOf(owner)
    if (await isSpentFor(agent)) {
      return { none: 'The tokens of the day are used up; until midnight (UTC) answers are quoted from the sources.' }
    }
    return await models.choose({ id: owner, hasPremium }, model.response_model)
  }

  async function rewrite (agent: AgentRecord, question: Question, signal: AbortSignal): Promise<string[] | undefined> {
    const choice = await choose(agent)
    if ('none' in choice) return undefined
    const prompt = rewritingPrompt(question)
    const [model] = choice.models
    let text = ''
    let spent: (() => Tokens) | undefined
    let outcome: Run['outcome'] = 'failed'
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(rewritingMs)])
    try {
      for await (const part of models.answer({ models: [model], owner: agent.owner, ...prompt }, inTime)) {
        if (part.type === 'text') text += part.text
        else if (part.type === 'asked') spent = part.spent
        else if (part.type === 'end') outcome = 'complete'
      }
    } catch (error) {
      if (signal.aborted) outcome = 'stopped'
      else if (!inTime.aborted && !(error instanceof ModelError)) throw error
    }
    if (spent && (outcome === 'complete' || inTime.aborted)) noteRun(agent.owner, runOf(agent, model, spent(), outcome))
    signal.throwIfAborted()
    return outcome === 'complete' ? queriesIn(text, question.languages.length) : undefined
  }

  const chooseCalls: ActNeeds['choose'] = async (agent, { wording, answerTokens }, tools, signal) => {
    const choice = await choose(agent)
    if ('none' in choice) return undefined
    const [model] = choice.models
    const calls: Chosen[] = []
    let spent: (() => Tokens) | undefined
    let outcome: Run['outcome'] = 'failed'
    try {
      const request = { models: choice.models, owner: agent.owner, wording, temperature: 0, answerTokens, tools }
      for await (const part of models.answer(request, signal)) {
        if (part.type === 'call') calls.push({ name: part.name, given: part.given })
        else if (part.type === 'asked') spent = part.spent
        else if (part.type === 'end') outcome = 'complete'
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof ModelError)) throw error
    }
    if (spent && (outcome === 'complete' || signal.aborted)) noteRun(agent.owner, runOf(agent, model, spent(), outcome))
    return outcome === 'complete' ? calls : undefined
  }

  return {
    choose: chooseCalls,
    rewrite,
    async model (agent, { wording, answerTokens }, peers, signal) {
      const choice = await choose(agent)
      if ('none' in choice) {
        tell(agent.id, choice.none)
        return undefined
      }
      return models.answer(
        {
          models: choice.models,
          owner: agent.owner,
          wording,
          temperature: agent.model.temperature,
          answerTokens,
          ...actionsOf(agent, peers)
        },
        signal
      )
    },
    isSpent: isSpentFor,
    tokens: ({ model }, text) => models.tokens({ name: model.response_model }, text),
    async tokenLength (agent) {
      const choice = await choose(agent)
      const context = 'models' in choice ? choice.models[0].context : null
      return Math.min(agent.model.token_length, context ?? Infinity)
    }
  }
}

/**
 * What the model may propose: a person where there is a way to one, another agent where there is one. Code decides what
 * becomes of it.
 */
function actionsOf (agent: AgentRecord, peers: readonly Peer[]) {
  const names = [...(mayPropose(agent) ? ['handoff', 'ticket', 'resolve'] : []), ...peers.map(({ id }) => `transfer_${id}`)]
  if (names.length === 0) return {}
  return {
    actions: { names, reasons: ['asked_for_a_person', 'complaint', 'not_in_the_sources', 'instructions_say_so'] }
  }
}

function runOf ({ id }: AgentRecord, { name, provider }: Model, took: Tokens, outcome: Run['outcome']): Run {
  return { agent: id, model: name, provider: provider.id, outcome, ...took, first_ms: null, total_ms: null }
}
