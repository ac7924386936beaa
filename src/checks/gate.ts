import type { CheckResult, CheckRun, CheckRunWithResults } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { draftTag, type AgentStore } from '../agents/index.ts'
import { Refusal } from '../platform/errors.ts'
import { outsideAudit } from '../platform/storage/audit.ts'
import type { CheckStore } from './store.ts'
import type { Asking } from './work.ts'

/** How long publishing waits for the questions, in milliseconds. */
const PATIENCE_MS = 20_000
/** Questions that a refusal names. */
const MOST_TOLD = 50

/** What lets a draft through, or not. */
export interface Gate {
  /**
   * Asks the blocking questions of the draft, unless exactly this draft has been asked them. Refuses with
   * `questions_failed` where one does not pass, unless `isForced`, and with `questions_running` where that takes long.
   * Says which draft was asked, and whether any failed; undefined where there is nothing to ask.
   */
  (owner: Id, agent: Id, isForced: boolean): Promise<{ draft: string, hasFailed: boolean } | undefined>
}

/** See Gate. `patienceMs` differs on the command line, where nobody waits for an answer, and in tests. */
export function publishGate (
  { store, agents, asks, patienceMs = PATIENCE_MS }:
  { store: CheckStore, agents: Pick<AgentStore, 'get'>, asks: Asking, patienceMs?: number }
): Gate {
  async function resultsOf (owner: Id, agent: Id, draft: string, blocking: Id[]): Promise<CheckRunWithResults> {
    const known = await store.runOf(owner, agent, draft)
    if (known?.state === 'done') return known
    const asked = { of: 'draft' as const, questions: blocking }
    const run: CheckRun | undefined =
      known ?? (await asks.ask(owner, agent, asked, { cause: 'publish', isOwn: true }))?.answer
    if (run) await inTime(asks.conduct(owner, run.id, new AbortController().signal), patienceMs)
    const done = run && await store.run(owner, agent, run.id)
    if (done?.state === 'done') return done
    throw new Refusal(
      'questions_running', 'The test questions are being asked. Publish again when that is done.', { fields: { run: run?.id } }
    )
  }

  async function look (owner: Id, agent: Id, isForced: boolean) {
    const kept = await agents.get(owner, agent)
    if (!kept?.agent.draft) return undefined
    const blocking = (await store.questions(owner, agent) ?? [])
      .filter(({ enabled, blocking }) => enabled && blocking)
      .map(({ id }) => id)
    if (blocking.length === 0) return undefined
    const draft = draftTag(kept.agent)
    const { id: run, results } = await resultsOf(owner, agent, draft, blocking)
    const failed = results.filter(({ question, verdict }) => verdict !== 'pass' && blocking.includes(question))
    if (failed.length > 0 && !isForced) throw questionsFailed(run, failed, blocking.length)
    return { draft, hasFailed: failed.length > 0 }
  }

  // The audit log tells of what is published, not of what was asked before.
  return (owner, agent, isForced) => outsideAudit(() => look(owner, agent, isForced))
}

function questionsFailed (run: Id, failed: readonly CheckResult[], all: number): Refusal {
  return new Refusal(
    'questions_failed',
    `${failed.length} of ${all} test questions that block did not pass. Mend the draft or the questions, or publish it all the same with force and a reason.`,
    {
      fields: {
        run,
        questions: failed.slice(0, MOST_TOLD).map(({ question, text, verdict, why, message }) => (
          { question, text, verdict, why, message }
        ))
      }
    }
  )
}

/** Waits for work, but no longer than so many milliseconds; it goes on all the same. */
async function inTime (work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => { timer = setTimeout(resolve, ms) })
  // What breaks off, as the server stops, is taken up by the job of the run.
  await Promise.race([work.catch(() => undefined), over])
  clearTimeout(timer)
}
