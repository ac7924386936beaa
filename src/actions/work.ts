import type { Id } from '../../schema/common.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { CallRunner } from './calls/run.ts'
import { DO_CALL, EXPIRE_CALL, LOOK_UP_CALL } from './calls/store.sqlite.ts'
import type { CallStore } from './store.ts'
import { tellOutcome } from './telling.ts'

/** When a call without a response is looked up again; after the last time a person is notified. */
const LOOKS_MS = [60_000, 10 * 60_000, 60 * 60_000]

/**
 * What calls cause in the background: confirmed calls are carried out, lost ones looked up, unconfirmed ones expire.
 * Watchers of a conversation are notified of its calls.
 */
export function workOnActions (
  { worker, eventBus }: Pick<Kernel, 'worker' | 'eventBus'>, { calls, runner }: { calls: CallStore, runner: CallRunner },
  conversations: () => Pick<Conversations, 'talk' | 'tellWatchers'>
) {
  eventBus.on(['call.updated'], function * ({ owner, data: { call: { conversation } } }) {
    if (conversation !== null) yield * conversations().tellWatchers(owner, 'call.updated', conversation)
  })
  const callOf = ({ payload }: Job) => (payload as { call: string }).call

  worker.handle(DO_CALL, {
    async run (job) {
      const begun = await calls.begin(job.owner, callOf(job))
      if (begun?.asked) {
        const { call, sent } = await runner.run(job.owner, begun)
        await tellOutcome(conversations(), call, sent.result)
      } else if (begun) {
        await tellOutcome(conversations(), begun.call, null)
      }
      return { done: true }
    }
  })
  worker.handle(EXPIRE_CALL, {
    async run (job) {
      const expired = await calls.expire(job.owner, callOf(job))
      if (expired) await tellOutcome(conversations(), expired, null)
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
        await tellOutcome(conversations(), found.call, found.sent.result)
        return { done: true }
      }
      const inMs = canAsk ? LOOKS_MS[job.attempt - 1] : undefined
      if (inMs !== undefined) return { againInMs: inMs }
      await callPerson(conversations(), job.owner, lost.call.conversation!)
      return { done: true }
    }
  })
}

/** Only a person can find out by now. */
async function callPerson ({ talk }: Pick<Conversations, 'talk'>, owner: Id, conversation: string) {
  await talk.handOver(owner, conversation, { type: 'asked', reason: 'action_unknown' }).catch((error) => {
    // If no person can be reached, the log of calls shows it.
    if (!(error instanceof Refusal)) throw error
  })
}
