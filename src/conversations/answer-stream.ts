import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { topicOf, type ConversationStore } from './store.ts'
import { DONE, partsAfter, partsOfWhole, placeOf, type Part } from './stream.ts'
import type { Talk } from './talk/contract.ts'
import type { Typing } from './typing.ts'

/** Dependencies of conversation streams. */
export interface Streaming {
  store: ConversationStore
  talk: Talk
  typing: Typing
  streams: EventStreams
  notifier: Notifier
  /** A message as shown to watchers. */
  linked: (message: MessageRecord) => MessageRecord | Promise<MessageRecord>
}

/** What a watcher of a conversation has not seen after the id of a part; undefined if it was deleted. */
export async function partsOf (
  { store, talk, linked }: Streaming, owner: Id, conversation: string, after: string
): Promise<Part[] | undefined> {
  const place = placeOf(after)
  // The run is read first: if it ends meanwhile, that is among the events.
  const run = await talk.writing(conversation)
  // Usually only the answer has grown, which is in memory.
  if (place && run && store.isNewest(owner, conversation, place.event)) return partsAfter(place, [], run, true)
  const found = place && (await store.events(owner, conversation, place.event))
  const events = await Promise.all(
    (found?.events ?? []).map(
      async ({ message, ...event }) => ({ ...event, message: message && await linked(message) })
    )
  )
  // One that has ended or restarted meanwhile is shown by its events, which wake its watchers.
  const isStillWritten = run && (await talk.writing(conversation))?.begun === run.begun
  const writing = isStillWritten ? run : undefined
  return found && partsAfter(place, events, writing, found.last === (found.events.at(-1)?.seq ?? place.event))
}

/** The current action for the answer being written, sent once to each watcher; it is not stored. */
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

/** Extra events for watchers of a conversation: typing, and current actions; they are not stored. */
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
      // For a message sent again, everything may have been said before.
      return answer && !isTold ? [...partsOfWhole(await linked(answer)), DONE] : [DONE]
    }
  })
}
