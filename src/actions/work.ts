import type { Id } from '../../schema/common.ts'
import type { Conversations } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Worker } from '../platform/work/worker.ts'
import { DO_CALL, EXPIRE_CALL, LOOK_UP_CALL } from './calls/store.sqlite.ts'
import type { Actions } from './open.ts'
import { tellOutcome } from './telling.ts'

/** When a call of which no answer came is looked up again; after the last time a person is told. */
const LOOKS_MS = [60_000, 10 * 60_000, 60 * 60_000]

/**
 * What calls cause in the background: what was confirmed is done, what was lost is looked up, what nobody confirmed
 * expires. Those who watch a conversation are told of its calls.
 */
export function workOnActions (
  { worker, announcements, conversations }: {
    worker: Worker, announcements: Announcements, conversations: Pick<Conversations, 'talk' | 'tellWatchers'>
  },
  { calls, runner }: Pick<Actions, 'calls' | 'runner'>
) {
  announcements.on(function * (happening) {
    if (happening.type !== 'call.updated' || happening.data.call.conversation === null) return
    yield * conversations.tellWatchers(happening.owner, 'call.updated', happening.data.call.conversation)
  })
  const callOf = ({ payload }: Job) => (payload as { call: string }).call

  worker.handle(DO_CALL, {
    async run (job) {
      const begun = await calls.begin(job.owner, callOf(job))
      if (begun?.asked) {
        const { call, sent } = await runner.run(job.owner, begun)
        await tellOutcome(conversations, call, sent.result)
      } else if (begun) {
        await tellOutcome(conversations, begun.call, null)
      }
      return { done: true }
    }
  })
  worker.handle(EXPIRE_CALL, {
    async run (job) {
      const expired = await calls.expire(job.owner, callOf(job))
      if (expired) await tellOutcome(conversations, expired, null)
      return { done: true }
    }
  })
  worker.handle(LOOK_UP_CALL, {
    async run (job) {
      const lost = await calls.lost(job.owner, callOf(job))
      const canAsk = lost !== undefined && lost.asked.action.lookup !== null
      if (!lost) return { done: true }
      const found = canAsk ? await runner.lookUp(job.owner, callOf(job)) : undefined
      if (found && found.call.state !== 'unknown') {
        await tellOutcome(conversations, found.call, found.sent.result)
        return { done: true }
      }
      const inMs = canAsk ? LOOKS_MS[job.attempt - 1] : undefined
      if (inMs !== undefined) return { againInMs: inMs }
      await callPerson(conversations, job.owner, lost.call.conversation!)
      return { done: true }
    }
  })
}

/** Nobody but a person can find out by now. */
async function callPerson ({ talk }: Pick<Conversations, 'talk'>, owner: Id, conversation: string) {
  await talk.handOver(owner, conversation, { type: 'asked', reason: 'action_unknown' }).catch((error) => {
    // Where there is no way to a person, the log of calls tells of it.
    if (!(error instanceof Refusal)) throw error
  })
}
