import type { Id } from '../../schema/common.ts'
import type { Conversations, HandoffEvent } from '../conversations/index.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Worker } from '../platform/work/worker.ts'
import { HANDS_FREE, OFFER_DUE } from './desk/offers.ts'
import { SNOOZE_OVER } from './desk/snooze.ts'
import { REPLY_DUE } from './desk/timers.ts'
import { CAME, GONE, LEFT, type DutyStore } from './duty.sqlite.ts'
import { HANDOFF_DUE } from './moves.ts'

/** Handlers of the timers of conversations, by kind of job. */
const TIMES = { [HANDOFF_DUE]: 'due', [OFFER_DUE]: 'passed', [SNOOZE_OVER]: 'woken', [REPLY_DUE]: 'late' } as const
type Timed = Extract<HandoffEvent, { type: 'due' | 'passed' | 'woken' | 'late' }>

/**
 * Timed events of conversations: nobody came, nobody answers, nobody writes, a snooze ends; and what happens to those
 * waiting when capacity frees up, when nobody is on duty, and when a member leaves.
 */
export function workOnHandoffs (
  worker: Worker, { talk, store }: Pick<Conversations, 'talk' | 'store'>, duty: DutyStore
) {
  for (const [kind, type] of Object.entries(TIMES)) {
    worker.handle(kind, {
      async run ({ owner, payload }: Job) {
        const { conversation, ...event } = payload as Omit<Timed, 'type'> & { conversation: string }
        await talk.handOver(owner, conversation, { ...event, type } as Timed)
        return { done: true }
      }
    })
  }

  async function tellAll (owner: Id, conversations: readonly string[], event: HandoffEvent) {
    for (const conversation of conversations) await talk.handOver(owner, conversation, event)
    return { done: true as const }
  }

  /** Offers what waits, longest first, for as long as anybody has room: of a long queue only a few may be. */
  const free = {
    async run ({ owner }: Job) {
      for (const conversation of await store.unoffered(owner)) {
        const now = await talk.handOver(owner, conversation, { type: 'free' })
        if ((now?.offered_to ?? null) === null && !await duty.hasRoom(owner)) break
      }
      return { done: true as const }
    }
  }
  worker.handle(HANDS_FREE, free)
  worker.handle(CAME, free)
  worker.handle(LEFT, {
    async run ({ owner }: Job) {
      if (await duty.isAnybodyOn(owner)) return { done: true }
      return await tellAll(owner, await store.queued(owner), { type: 'left' })
    }
  })
  worker.handle(GONE, {
    async run ({ owner, payload }: Job) {
      const { user: person } = payload as { user: Id }
      return await tellAll(owner, await store.ofMember(owner, person), { type: 'abandoned', person })
    }
  })
}
