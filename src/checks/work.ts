import { settingsIn, type AgentRecord } from '../../schema/agents.ts'
import type { CheckRun, CheckRunDraft, CheckRunRecord, QuestionRecord, Why } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { draftTag, type AgentStore } from '../agents/index.ts'
import type { Examined as Answered, Talk } from '../conversations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Worker } from '../platform/work/worker.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { isDecided, reasonsAgainst, verdictOf, type Examined } from './judge.ts'
import { RUN } from './runs.sqlite.ts'
import type { CheckStore, NewRun, Noted, Unfinished } from './store.ts'

/** Questions run at the same time: answering by a model is mostly waiting. */
const RUNNING_AT_ONCE = 4

/** Dependencies of running test questions. */
interface AskingNeeds {
  store: CheckStore
  agents: Pick<AgentStore, 'get' | 'live' | 'version'>
  talk: Pick<Talk, 'examine'>
  clock: Clock
}

/** Why a run is requested; `runsItself`: the caller runs it itself. */
export interface Asked { cause: CheckRunRecord['cause'], runsItself?: boolean, once?: IdempotencyKey | undefined }

/** Milliseconds after which the worker takes up a run that somebody else was to run. */
const OWN_MS = 600_000

/** Runs test questions. */
export interface Asking {
  /** Requests a run of the draft, of what is live, or of a version. Undefined if there is no such thing. */
  ask (owner: Id, agent: Id, draft: CheckRunDraft, why: Asked): Promise<IdempotentResult<CheckRun> | undefined>
  /** Runs the remaining questions, until all are done or `signal` is aborted; returns the run once it is done. */
  conduct (owner: Id, run: Id, signal: AbortSignal): Promise<CheckRun | undefined>
}

/** See Asking. */
export function asking ({ store, agents, talk, clock }: AskingNeeds): Asking {
  /** The settings that are tested, and their name. */
  async function whatOf (
    owner: Id, id: Id, { of = 'draft', version: number }: CheckRunDraft
  ): Promise<Pick<NewRun, 'of' | 'version' | 'draft' | 'settings'> | undefined> {
    const [kept, live] = [await agents.get(owner, id), await agents.live(owner, id)]
    if (!kept || !live) return undefined
    const draft = draftTag(kept.agent)
    if (number !== undefined) {
      const version = await agents.version(owner, id, number)
      return version && { of: 'version', version: version.number, draft, settings: version.settings }
    }
    if (of === 'live') return { of, version: live.live_version, draft, settings: settingsIn(live) }
    return { of, version: null, draft, settings: settingsIn(kept.agent) }
  }

  async function conduct (owner: Id, id: Id, signal: AbortSignal): Promise<CheckRun | undefined> {
    const found = await store.goOn(owner, id)
    const live = found && await agents.live(owner, found.run.agent)
    if (!found || !live) return undefined
    const agent = { ...live, ...found.settings }
    const left = [...found.left]
    let isWanted = true
    const ask = async () => {
      for (let question = left.shift(); question && isWanted; question = left.shift()) {
        const result = await askOne(agent, found, question, signal)
        signal.throwIfAborted()
        isWanted = await store.note(owner, id, result)
      }
    }
    await Promise.all(Array.from({ length: RUNNING_AT_ONCE }, ask))
    return isWanted ? await store.end(owner, id) : undefined
  }

  /** Runs a question: once, or with a model until two of three answers agree. */
  async function askOne (
    agent: AgentRecord, { run }: Unfinished, question: QuestionRecord, signal: AbortSignal
  ): Promise<Noted> {
    const { text, language, turns, actions, expect } = question
    const recorded = actions.length > 0 || expect.action !== null ? actions : undefined
    const history = turns.map((turn) => ({ ...turn, status: 'complete' as const }))
    const began = clock.monotonic()
    const tries: Why[][] = []
    let said: Examined | undefined
    let tokens = 0
    do {
      // Others wait at most as long as one answer takes.
      await nextTurn()
      const answered = await talk.examine(agent, { text, language, history, recorded }, signal)
      tokens += tokensOf(answered)
      const cited = (answered.answer?.citations ?? []).map(({ source }) => source)
      const known = await store.sources(agent.owner, run.agent, [...cited, ...expect.sources])
      const examined = examinedOf(answered, new Set(cited.flatMap((source) => [source, known.get(source) ?? source])))
      const why = reasonsAgainst(expect, examined, (source) => known.has(source))
      // A wrong answer is stored, if there is one.
      if (!said || (why.length > 0 && tries.every((one) => one.length === 0))) said = examined
      tries.push(why)
      if (answered.answer?.answered_by !== 'model' && answered.chosen.length === 0) break
    } while (!isDecided(tries))
    return {
      question: question.id,
      verdict: verdictOf(tries),
      why: tries.find((why) => why.length > 0) ?? [],
      message: said.text || null,
      sources: [...said.cited],
      ms: Math.round(clock.monotonic() - began),
      tokens
    }
  }

  return {
    async ask (owner, agent, draft, { cause, runsItself = false, once }) {
      const what = await whatOf(owner, agent, draft)
      return what && await store.begin(
        owner, agent, { ...what, cause, questions: draft.questions, inMs: runsItself ? OWN_MS : 0 }, once
      )
    },
    conduct
  }
}

function tokensOf ({ answer }: Answered): number {
  const { input_tokens: given = 0, output_tokens: taken = 0 } = answer?.run ?? {}
  return given + taken
}

function examinedOf ({ answer, reason, chosen }: Answered, cited: ReadonlySet<Id>): Examined {
  return {
    text: answer?.text ?? '',
    cited,
    isUnknown: answer?.unknown ?? false,
    reason,
    action: answer?.proposal?.action ?? null,
    chosen,
    fault: answer?.hindered ?? (answer?.status === 'failed' ? 'failed' : null)
  }
}

/** Has the worker run the questions of runs; one that was killed continues with the next question. */
export function workOnRuns (worker: Pick<Worker, 'handle'>, { conduct }: Asking) {
  worker.handle(RUN, {
    async run ({ owner, subject }, signal) {
      try {
        await conduct(owner, subject, signal)
      } catch (error) {
        // It ran long enough that others have their turn, or the server stops.
        if (!signal.aborted) throw error
        return { againInMs: 0, fresh: true }
      }
      return { done: true }
    },
    tries: Infinity
  })
}
