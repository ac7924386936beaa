import type { Id } from '../../../schema/common.ts'
import { timestamp } from '../../platform/clock.ts'
import { loading } from '../answering/context.ts'
import { newId } from '../ids.ts'
import { finish } from '../life/life.ts'
import type { Answer, Decision, Given } from '../life/decision.ts'
import { isSameRun, type Run } from '../run.ts'
import { openRuns, type Runs } from '../runs.ts'
import type { TalkNeeds } from './contract.ts'

/** What is being written, and how a decision about a conversation is carried out there. */
export interface Turns {
  runs: Runs
  /** What a decision about this conversation is given now. */
  given (conversation: string): Given
  /** What a decision means for what is being written: what it ended is written no more, what it began is. */
  follow (owner: Id, conversation: string, decision: Decision): void
  /** Begins the answer that was decided on, if one was. */
  goOn (owner: Id, conversation: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined): void
}

/** Opens what is being written. */
export function openTurns (needs: TalkNeeds): Turns {
  const { store, clock, seen } = needs
  const runs = openRuns({ ...needs, kept: store.message, load: loading(needs), finish: end })

  function given (id: string): Given {
    const writing = runs.of(id) ?? seen.of(id)
    const ids = { messageId: newId('msg'), answerId: newId('msg'), noticeId: newId('msg') }
    return { ...ids, at: timestamp(clock.micros()), hands: needs.hands, soFar: () => writing?.soFar() }
  }

  function follow (owner: Id, id: string, { conversation, messages }: Decision) {
    if (messages.some(({ role, status }) => role === 'agent' && status === 'stopped')) runs.drop(id)
    goOn(owner, id, { conversation, messages })
  }

  function goOn (owner: Id, id: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined) {
    const answer = decision?.messages.find(({ status }) => status === 'generating')
    if (decision && answer) runs.start(owner, id, answer, decision.conversation.epoch)
  }

  async function end (
    { owner, conversation: id, answer: begun, epoch }: Run, answer: Answer, isWanted: () => boolean
  ): Promise<void> {
    const done = await store.change(owner, id, {}, function * (loaded) {
      // Of an answer that another process has begun anew since, that one's end counts.
      const isStillOurs = isWanted() && loaded.generating && isSameRun(loaded.generating, begun)
      return isStillOurs ? finish(loaded, begun.id, answer, epoch, given(id)) : undefined
    })
    goOn(owner, id, done?.decision)
    // Its conversation is gone: what it took was taken all the same.
    if (!done && answer.run && isWanted()) needs.noteRun(owner, answer.run)
  }

  return { runs, given, follow, goOn }
}
