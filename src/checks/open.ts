import type { AgentStore } from '../agents/index.ts'
import type { Talk } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
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

/** Opens them; runs are conducted, and repeated after changes, from then on. */
export function openChecks (kernel: Kernel, { agents, talk }: { agents: AgentStore, talk: Pick<Talk, 'examine'> }): Checks {
  const store: CheckStore & QuestionBatch = {
    ...sqliteQuestions(kernel), ...questionBatch(kernel), ...sqliteRuns(kernel)
  }
  const asks = asking({ store, agents, talk, clock: kernel.clock })
  workOnRuns(kernel.worker, asks)
  recheck({ ...kernel, store, asks })
  return { store, ...asks, gate: publishGate({ store, agents, asks }) }
}
