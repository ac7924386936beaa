import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { topicOf, type ConversationStore } from './store.ts'
import { DONE, partsAfter, partsOfWhole, placeOf, type Part } from './stream.ts'
import type { Talk } from './talk/contract.ts'
import type { Typing } from './typing.ts'

/** What streams of conversations are made from. */
export interface Streaming {
  store: ConversationStore
  talk: Talk
  typing: Typing
  streams: EventStreams
  notifier: Notifier
  /** A message as it is shown to those who watch. */
  linked: (message: MessageRecord) => MessageRecord | Promise<MessageRecord>
}

/** What a watcher of a conversation has not seen after the id of a part; undefined when the conversation is gone. */
export async function partsOf (
  { store, talk, linked }: Streaming, owner: Id, conversation: string, after: string
): Promise<Part[] | undefined> {
  const place = placeOf(after)
  // The run is asked first: what it ends with meanwhile is among the events.
  const run = await talk.writing(conversation)
  // Most often nothing but the answer has grown, which is in memory.
  if (place && run && store.isNewest(owner, conversation, place.event)) return partsAfter(place, [], run, true)
  const found = place && (await store.events(owner, conversation, place.event))
  const events = await Promise.all(
    (found?.events ?? []).map(
      async ({ message, ...event }) => ({ ...event, message: message && await linked(message) })
    )
  )
  // One that has ended or was begun anew meanwhile is shown by its events, and who watches is woken for them.
  const isStillWritten = run && (await talk.writing(conversation))?.begun === run.begun
  const writing = isStillWritten ? run : undefined
  return found && partsAfter(place, events, writing, found.last === (found.events.at(-1)?.seq ?? place.event))
}

/** What is being done for the answer that is being written, told once to each watcher; it is kept nowhere. */
function doing ({ talk }: Pick<Streaming, 'talk'>, conversation: string): () => Promise<Part[]> {
  let told: string | null = null
  return async () => {
    const now = (await talk.writing(conversation))?.doing() ?? null
    const isNew = now !== null && now !== told
    told = now
    return isNew
      ? [{ data: JSON.stringify({ type: 'data-event', transient: true, data: { type: 'action', data: { title: now } } }) }]
      : []
  }
}

/** What a watcher of a conversation is told beside: that somebody types, and what is done, which is kept nowhere. */
export function watching (
  streaming: Streaming, owner: Id, conversation: string
): (after: string) => Promise<Part[] | undefined> {
  const { typing } = streaming
  let seen = typing.last()
  const done = doing(streaming, conversation)
  return async (after) => {
    const found = await partsOf(streaming, owner, conversation, after)
    const action = await done()
    const typed = typing.since(seen).filter((one) => one.conversation === conversation && one.owner === owner)
    seen = typing.last()
    return (
      found && [
        ...found,
        ...action,
        ...typed.map(({ role }) => ({
          data: JSON.stringify({ type: 'data-event', transient: true, data: { type: 'typing', data: { role } } })
        }))
      ]
    )
  }
}

/** Streams the answer to one message as it is written, to its end. `from`: the last event before the message. */
export function answerStream (
  streaming: Streaming,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    owner, conversation, message, from
  }: {
    owner: Id, conversation: string, message: MessageRecord, from: number
  }
): FastifyReply {
  const { talk, streams, notifier, linked } = streaming
  let state: 'writing' | 'answered' | 'over' = 'writing'
  let answer: MessageRecord | undefined
  let isTold = false
  const done = doing(streaming, conversation)
  talk
    .answerTo(owner, conversation, message)
    .then(
      (found) => {
        answer = found
      },
      () => {}
    )
    .finally(() => {
      state = 'answered'
      notifier.notify(topicOf(conversation))
    })
  return streams.send(request, reply, {
    topics: [topicOf(conversation)],
    after: `${from}.0`,
    isStillAllowed: request.caller.isStillAllowed,
    async read (after) {
      if (state === 'over') return undefined
      const isAnswered = state === 'answered'
      const kept = await partsOf(streaming, owner, conversation, after)
      const found = kept && [...kept, ...await done()]
      isTold ||= found !== undefined && found.length > 0
      if (!found || found.length > 0 || !isAnswered) return found
      state = 'over'
      // Of a message that was sent again, all may have been said before.
      return answer && !isTold ? [...partsOfWhole(await linked(answer)), DONE] : [DONE]
    }
  })
}
