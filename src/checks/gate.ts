import type { CheckResult, CheckRun, CheckRunWithResults } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { draftTag, type AgentStore } from '../agents/index.ts'
import { Refusal } from '../platform/errors.ts'
import { outsideAudit } from '../platform/storage/audit.ts'
import type { CheckStore } from './store.ts'
import type { Asking } from './work.ts'

/** How long publishing waits for the questions, in milliseconds. */
const PATIENCE_MS = 20_000
/** Maximum questions named in a refusal. */
const MOST_TOLD = 50

/** Decides whether a draft may be published. */
export interface Gate {
  /**
   * Runs the blocking questions against the draft, unless that was done for exactly this draft. Refuses with
   * `questions_failed` if one fails, unless `isForced`, and with `questions_running` if it takes too long. Returns
   * which draft was tested, and whether any failed; undefined if there is nothing to test.
   */
  (owner: Id, agent: Id, isForced: boolean): Promise<{ draft: string, hasFailed: boolean } | undefined>
}

/** See Gate. `patienceMs` differs on the command line, where no request waits, and in tests. */
export function publishGate (
  { store, agents, asks, patienceMs = PATIENCE_MS }:
  { store: CheckStore, agents: Pick<AgentStore, 'get'>, asks: Asking, patienceMs?: number }
): Gate {
  async function resultsOf (owner: Id, agent: Id, draft: string, blocking: Id[]): Promise<CheckRunWithResults> {
    const known = await store.runOf(owner, agent, draft)
    if (known?.state === 'done') return known
    const asked = { of: 'draft' as const, questions: blocking }
    const run: CheckRun | undefined =
      known ?? (await asks.ask(owner, agent, asked, { cause: 'publish', runsItself: true }))?.answer
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

  // The audit log records what is published, not the tests before it.
  return (owner, agent, isForced) => outsideAudit(() => look(owner, agent, isForced))
}

function questionsFailed (run: Id, failed: readonly CheckResult[], all: number): Refusal {
  return new Refusal(
    'questions_failed',
    `${failed.length} of ${all} blocking test questions did not pass. Fix the draft or the questions, or publish it anyway with force and a reason.`,
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

/** Waits for work, but at most the given milliseconds; the work continues anyway. */
async function inTime (work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => { timer = setTimeout(resolve, ms) })
  // If it is interrupted, as the server stops, the job of the run resumes it.
  await Promise.race([work.catch(() => undefined), over])
  clearTimeout(timer)
}
