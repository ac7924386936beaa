import type { AgentStore } from '../agents/index.ts'
import type { Talk } from '../conversations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { EventBus } from '../platform/work/event-bus.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { Worker } from '../platform/work/worker.ts'
import { questionBatch, type QuestionBatch } from './batch.sqlite.ts'
import { publishGate, type Gate } from './gate.ts'
import { sqliteQuestions } from './questions.sqlite.ts'
import { recheck } from './recheck.ts'
import { sqliteRuns } from './runs.sqlite.ts'
import type { CheckStore } from './store.ts'
import { asking, workOnRuns, type Asking } from './work.ts'

/** Test questions of agents, and what runs them. */
export interface Checks extends Asking {
  store: CheckStore & QuestionBatch
  /** Decides whether a draft may be published. */
  gate: Gate
}

/** Builds them on the stores' parts. */
export function openChecks ({ worker, agents, talk, ...parts }: {
  db: Database
  clock: Clock
  secrets: Secrets
  idempotency: Idempotency
  jobs: Pick<Jobs, 'ask'>
  eventBus: EventBus
  notifier: Notifier
  worker: Pick<Worker, 'handle'>
  agents: AgentStore
  talk: Pick<Talk, 'examine'>
}): Checks {
  const store: CheckStore & QuestionBatch = {
    ...sqliteQuestions(parts), ...questionBatch(parts), ...sqliteRuns(parts)
  }
  const asks = asking({ store, agents, talk, clock: parts.clock })
  workOnRuns(worker, asks)
  recheck({ ...parts, worker, store, asks })
  return { store, ...asks, gate: publishGate({ store, agents, asks }) }
}
