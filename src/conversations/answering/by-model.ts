import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { ModelError, type Choice, type Model, type Models, type Tokens } from '../../models/index.ts'
import { mayPropose } from '../handoff/policy.ts'
import { isSpent, type Ledger, type ModelUsage } from '../usage/ledger.ts'
import { queriesIn, type Question, REWRITING_MS, rewritingPrompt } from './look-up.ts'
import type { ActNeeds, Chosen } from '../acting/act.ts'
import type { TurnNeeds } from './turn.ts'
import type { Peer } from '../contract.ts'

/** Dependencies of choosing and asking a model. */
export interface ByModelNeeds {
  models: Models
  ledger: Pick<Ledger, 'today'>
  /** Limits of the account: premium models, and daily tokens for it and for each of its agents; 0 is no limit. */
  allowanceOf: (owner: Id) => Promise<{ hasPremium: boolean, daily: { account: number, agent: number } }>
  /** Records usage besides answers. */
  noteRun: (owner: Id, run: ModelUsage) => void
  /** Milliseconds for rephrasing a question. */
  rewritingMs?: number
  /** Called if an agent has no model, once per reason: for the log. */
  onNone: (agent: Id, why: string) => void
}

/** Reasons reported; all dropped if there are too many. */
const TOLD = 1000

/**
 * The part of a turn that asks a model: none answers if none is set or allowed, or if the daily tokens are used up.
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
      return { none: 'The daily tokens are used up; until midnight (UTC) answers are quoted from the sources.' }
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
    let outcome: ModelUsage['outcome'] = 'failed'
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
    let outcome: ModelUsage['outcome'] = 'failed'
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
 * What the model may propose: a person if one can be reached, another agent if there is one. Code decides what becomes
 * of it.
 */
function actionsOf (agent: AgentRecord, peers: readonly Peer[]) {
  const names = [...(mayPropose(agent) ? ['handoff', 'ticket', 'resolve'] : []), ...peers.map(({ id }) => `transfer_${id}`)]
  if (names.length === 0) return {}
  return {
    actions: { names, reasons: ['asked_for_a_person', 'complaint', 'not_in_the_sources', 'instructions_say_so'] }
  }
}

function runOf (
  { id }: AgentRecord, { name, provider }: Model, took: Tokens, outcome: ModelUsage['outcome']
): ModelUsage {
  return { agent: id, model: name, provider: provider.id, outcome, ...took, first_ms: null, total_ms: null }
}
