import type { Id } from '../../../schema/common.ts'
import type { MessageRecord } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import { READ_BACK } from '../answering/context.ts'
import { finish, isToStop, regenerate, resume } from '../life/life.ts'
import { NOTHING_LEFT } from '../life/follow.ts'
import { topicOf } from '../store.ts'
import { refuseInactive } from './inactive.ts'
import type { Received, Talk, TalkNeeds } from './contract.ts'
import type { Turns } from './say.ts'

/** How long to wait for news of another process before reading the database. */
const LOOK_MS = 1000
/** How long to wait for an answer that nobody shows: the caller is asked to come back. */
const ABANDONED_MS = 3000
/** How long an answer told to stop in another process may continue. */
const STOPPING_MS = 2000

/** Waits for, ends and regenerates answers, and resumes them after a crash, see Talk. */
export function answers (
  { store, clock, neighbours, subscribe, seen, onFault }: TalkNeeds, { runs, given, follow, startPending }: Turns,
  closing: AbortSignal
): Pick<Talk, 'answerTo' | 'stop' | 'regenerate' | 'resume' | 'resumeAll'> {
  /** Waits, for a limited time, until something happens in a conversation answered by another process. */
  async function news (id: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const happened = () => resolve()
    const unsubscribe = subscribe(topicOf(id), happened)
    const timer = setTimeout(happened, LOOK_MS)
    closing.addEventListener('abort', happened)
    await promise
    closing.removeEventListener('abort', happened)
    clearTimeout(timer)
    unsubscribe()
  }

  /** Waits until the other process writing an answer has ended it, for as long as that may take. */
  async function endedElsewhere (owner: Id, id: string, message: string): Promise<void> {
    const until = clock.monotonic() + STOPPING_MS
    do await news(id)
    while ((await store.message(owner, id, message))?.status === 'generating' && clock.monotonic() < until)
  }

  /** Whether an answer before a message is being written, by any process. */
  async function isBeingWritten (owner: Id, id: string, { seq }: MessageRecord): Promise<boolean> {
    const before = await store.messages(owner, id, { before: seq + 1 }, READ_BACK)
    return before?.some(({ status }) => status === 'generating') ?? false
  }

  async function answerTo (owner: Id, id: string, message: MessageRecord): Promise<MessageRecord | undefined> {
    let lastWritten = clock.monotonic()
    let isReadAgain = false
    for (;;) {
      const after = await store.messages(owner, id, { after: message.seq }, READ_BACK)
      if (!after) throw new Refusal('not_found', 'No such conversation.')
      const answer = after.find(({ role }) => role === 'agent')
      if (answer && answer.status !== 'generating') return answer
      const isRunning = runs.of(id) !== undefined
      await runs.ended(id)
      if (isRunning || runs.of(id)) {
        lastWritten = clock.monotonic()
        continue
      }
      const mayBeElsewhere = !neighbours.isAlone && !closing.aborted
      if (mayBeElsewhere && await runs.elsewhere(id)) lastWritten = clock.monotonic()
      const isAbandoned = clock.monotonic() - lastWritten > ABANDONED_MS
      if (mayBeElsewhere && !isAbandoned && (answer ?? await isBeingWritten(owner, id, message))) {
        await news(id)
        continue
      }
      if (!answer) return undefined
      // It may have ended while it was read.
      if (!isReadAgain) {
        isReadAgain = true
        continue
      }
      throw new Refusal(
        'unavailable',
        'The answer cannot be finished now; a server writes it as soon as one can. Read the conversation then.',
        { headers: { 'retry-after': '5' } }
      )
    }
  }

  async function regenerateOne (
    owner: Id, id: string, message: string, clientId: string | null = null
  ): Promise<Received | undefined> {
    const done = await store.change(owner, id, { message, clientId }, function * (loaded) {
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

  async function resumeOne (owner: Id, id: string): Promise<void> {
    const done = await store.change(owner, id, {}, function * (loaded) { return resume(loaded, given(id)) })
    startPending(owner, id, done?.decision)
  }

  return {
    answerTo,
    async stop (owner, id, message) {
      const kept = await store.message(owner, id, message)
      if (!kept || !isToStop(kept)) return kept
      const isHere = runs.of(id) !== undefined
      await runs.stop(id, message)
      // Its writer stores what was seen of it.
      if (!isHere && !neighbours.isAlone) await endedElsewhere(owner, id, message)
      // If nobody writes it, since its end could not be stored, it ends here.
      const done = await store.change(owner, id, { message }, function * (loaded) {
        const left = seen.of(id)?.soFar() ?? NOTHING_LEFT
        return finish(loaded, message, left, loaded.conversation.epoch, given(id))
      })
      startPending(owner, id, done?.decision)
      return done?.decision?.messages[0] ?? done?.loaded.message
    },
    regenerate: regenerateOne,
    resume: resumeOne,
    async resumeAll () {
      for (const { owner, conversation } of await store.unfinished()) {
        // One that is damaged must not keep the server from starting.
        await resumeOne(owner, conversation).catch(onFault)
      }
    }
  }
}
