import type { Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { sqliteLearningStore } from './store.sqlite.ts'
import { suggesting, type Learning } from './suggest.ts'

/** Opens what agents could learn; questions are read for it from now on. */
export function openLearning (
  kernel: Kernel, { conversations }: { conversations: Pick<Conversations, 'store' | 'visitors'> }
): Learning {
  const store = sqliteLearningStore(kernel)
  return { store, ...suggesting({ store, worker: kernel.worker, conversations }) }
}
