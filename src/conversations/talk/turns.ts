import type { Id } from '../../../schema/common.ts'
import { timestamp } from '../../platform/clock.ts'
import { loading } from '../answering/context.ts'
import { newId } from '../ids.ts'
import { finish } from '../life/life.ts'
import type { Answer, Decision, DecisionContext } from '../life/decision.ts'
import { isSameRun, type Generation } from '../generation.ts'
import { openRuns, type Runs } from '../generations.ts'
import type { TalkNeeds } from './contract.ts'

/** Answers being written, and how a decision about a conversation affects them. */
export interface Turns {
  runs: Runs
  /** Context of a decision about this conversation now. */
  given (conversation: string): DecisionContext
  /** Applies a decision to the answers being written: those it ended stop, those it began start. */
  follow (owner: Id, conversation: string, decision: Decision): void
  /** Starts the answer requested by a decision, if any. */
  startPending (
    owner: Id, conversation: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined
  ): void
}

/** Opens what is being written. */
export function openTurns (needs: TalkNeeds): Turns {
  const { store, clock, seen } = needs
  const runs = openRuns({ ...needs, kept: store.message, load: loading(needs), finish: end })

  function given (id: string): DecisionContext {
    const writing = runs.of(id) ?? seen.of(id)
    const ids = { messageId: newId('msg'), answerId: newId('msg'), noticeId: newId('msg') }
    return { ...ids, at: timestamp(clock.micros()), handoff: needs.handoff, soFar: () => writing?.soFar() }
  }

  function follow (owner: Id, id: string, { conversation, messages }: Decision) {
    if (messages.some(({ role, status }) => role === 'agent' && status === 'stopped')) runs.drop(id)
    startPending(owner, id, { conversation, messages })
  }

  function startPending (owner: Id, id: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined) {
    const answer = decision?.messages.find(({ status }) => status === 'generating')
    if (decision && answer) runs.start(owner, id, answer, decision.conversation.epoch)
  }

  async function end (
    { owner, conversation: id, answer: begun, epoch }: Generation, answer: Answer, isWanted: () => boolean
  ): Promise<void> {
    const done = await store.change(owner, id, {}, function * (loaded) {
      // If another process has restarted the answer since, its end counts.
      const isStillOurs = isWanted() && loaded.generating && isSameRun(loaded.generating, begun)
      return isStillOurs ? finish(loaded, begun.id, answer, epoch, given(id)) : undefined
    })
    startPending(owner, id, done?.decision)
    // Its conversation was deleted: its usage counts all the same.
    if (!done && answer.run && isWanted()) needs.noteRun(owner, answer.run)
  }

  return { runs, given, follow, startPending }
}
