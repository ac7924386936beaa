import type { Id } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { microsOf } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Result } from '../platform/work/jobs.ts'
import type { CheckStore } from './store.ts'
import type { Asking } from './work.ts'

/** The kind of the job that re-runs questions that depend on a change; its subject is the agent. */
const RECHECK = 'checks.recheck'
/** Milliseconds without a change before it starts, and between two such runs of an agent. */
export const QUIET_MS = 600_000
export const BETWEEN_MS = 3_600_000

interface RecheckParts extends Pick<Kernel, 'db' | 'clock' | 'jobs' | 'eventBus' | 'worker'> {
  store: Pick<CheckStore, 'stale'>
  asks: Pick<Asking, 'ask'>
}

/**
 * When an agent's knowledge was retrained, the questions that depend on it are run against the live version, some time
 * after the last change and not too often.
 */
export function recheck ({ db, clock, jobs, eventBus, worker, store, asks }: RecheckParts) {
  const mark = db.objects(`
    update questions set is_stale = 1 where agent_id = :agent and enabled = 1 and id in (
      select question from question_sources
      where source = :source or source in (select id from knowledge_sources where parent_id = :source))`)
  eventBus.on(['source.trained', 'source.freshened'], function * ({ owner, agent, data }) {
    if (agent === null) return
    if ((yield * mark.run({ agent, source: data.source.id })) === 0) return
    // Replaces the earlier job: each change restarts the delay.
    yield * jobs.ask({ kind: RECHECK, subject: agent, owner, inMs: QUIET_MS })
  })

  async function askStale (owner: Id, agent: Id): Promise<Result> {
    const found = await store.stale(owner, agent)
    if (!found || found.questions.length === 0) return { done: true }
    const since = found.last === null ? BETWEEN_MS : (clock.micros() - microsOf(found.last)!) / 1000
    if (since < BETWEEN_MS) return { againInMs: BETWEEN_MS - since, fresh: true }
    try {
      await asks.ask(owner, agent, { of: 'live', questions: found.questions }, { cause: 'knowledge' })
    } catch (error) {
      // Too many runs are pending, so this one waits for them.
      if (!(error instanceof Refusal && error.code === 'limit_reached')) throw error
      return { againInMs: QUIET_MS, fresh: true }
    }
    return { done: true }
  }

  worker.handle(RECHECK, { run: async ({ owner, subject }) => await askStale(owner, subject), tries: Infinity })
}
