import type { Conversations, HandsEvent } from '../conversations/index.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Worker } from '../platform/work/worker.ts'
import { LEFT, type DutyStore } from './duty.sqlite.ts'
import { HANDOFF_DUE } from './moves.ts'

type Due = Extract<HandsEvent, { type: 'due' }>

/**
 * What time brings to conversations: nobody came, nobody answers, nobody says anything; and what becomes of those who
 * wait when nobody is on duty.
 */
export function workOnHandoffs (
  worker: Worker, { talk, store }: Pick<Conversations, 'talk' | 'store'>, duty: DutyStore
) {
  worker.handle(HANDOFF_DUE, {
    async run ({ owner, payload }: Job) {
      const { conversation, ...due } = payload as Omit<Due, 'type'> & { conversation: string }
      await talk.handOver(owner, conversation, { type: 'due', ...due })
      return { done: true }
    }
  })
  worker.handle(LEFT, {
    async run ({ owner }: Job) {
      if (duty.now(owner, 0).isOnDuty) return { done: true }
      for (const conversation of await store.queued(owner)) await talk.handOver(owner, conversation, { type: 'left' })
      return { done: true }
    }
  })
}
