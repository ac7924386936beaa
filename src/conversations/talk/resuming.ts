import type { Worker } from '../../platform/work/worker.ts'
import { ANSWER } from '../storage/held.ts'
import type { Talk } from './contract.ts'

/** Resumes the answers of processes that died or have stopped. */
export function workOnAnswers (worker: Worker, talk: Pick<Talk, 'resume'>) {
  worker.handle(ANSWER, {
    async run ({ owner, payload }) {
      await talk.resume(owner, (payload as { conversation: string }).conversation)
      return { done: true }
    }
  })
}
