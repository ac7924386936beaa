import type { Id } from '../../../schema/common.ts'
import type { MessageRecord } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import { READ_BACK } from '../answering/context.ts'
import { finish, isToStop, regenerate, resume } from '../life/life.ts'
import { NOTHING_LEFT } from '../life/follow.ts'
import { refuseInactive } from './inactive.ts'
import type { Received, Talk, TalkNeeds } from './contract.ts'
import type { Turns } from './turns.ts'

/** How answers are waited for, ended, written anew, and taken up after a crash, see Talk. */
export function answers (
  { store, onFault }: TalkNeeds, { runs, given, follow, goOn }: Turns
): Pick<Talk, 'answerTo' | 'stop' | 'regenerate' | 'resumeAll'> {
  async function answerTo (owner: Id, id: string, message: MessageRecord): Promise<MessageRecord | undefined> {
    for (;;) {
      const after = await store.messages(owner, id, { after: message.seq }, READ_BACK)
      if (!after) throw new Refusal('not_found', 'No such conversation.')
      const answer = after.find(({ role }) => role === 'agent')
      if (answer && answer.status !== 'generating') return answer
      const isRunning = runs.of(id) !== undefined
      await runs.ended(id)
      if (isRunning || runs.of(id)) continue
      if (!answer) return undefined
      throw new Refusal(
        'unavailable',
        'The answer cannot be finished now; it is written when the server runs again. Read the conversation then.',
        { headers: { 'retry-after': '5' } }
      )
    }
  }

  async function regenerateOne (
    owner: Id, id: string, message: string, clientId: string | null = null
  ): Promise<Received | undefined> {
    const done = await store.change(owner, id, { message, clientId }, (loaded) => {
      if (loaded.repeated) return undefined
      refuseInactive(loaded)
      return (
        loaded.message &&
        regenerate(loaded, loaded.message, loaded.message.seq === loaded.conversation.messages, clientId, given(id))
      )
    })
    if (done?.loaded.repeated) return { message: done.loaded.repeated, repeated: true }
    const answer = done?.decision?.messages.at(-1)
    if (!done?.decision || !answer) return undefined
    follow(owner, id, done.decision)
    return { message: answer, repeated: false }
  }

  return {
    answerTo,
    async stop (owner, id, message) {
      const kept = await store.message(owner, id, message)
      if (!kept || !isToStop(kept)) return kept
      await runs.stop(id, message)
      // Where nobody writes it, since its end could not be kept, it ends here.
      const done = await store.change(owner, id, { message }, (loaded) =>
        finish(loaded, message, NOTHING_LEFT, loaded.conversation.epoch, given(id))
      )
      goOn(owner, id, done?.decision)
      return done?.decision?.messages[0] ?? done?.loaded.message
    },
    regenerate: regenerateOne,
    async resumeAll () {
      for (const { owner, conversation } of await store.unfinished()) {
        // One that is damaged must not keep the server from starting.
        const done = await store
          .change(owner, conversation, {}, (loaded) => resume(loaded, given(conversation)))
          .catch(onFault)
        goOn(owner, conversation, done?.decision)
      }
    }
  }
}
