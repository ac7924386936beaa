import type { Message } from '../../../../../schema/conversations.ts'
import { streamReader } from '../../../../widget/browser/stream.ts'
import { api, isRefused, refusedOf, STREAM } from '../../api.ts'

/** The data of a stream event. */
interface Part { type: string, messageId?: string, delta?: string, data?: Message }

/** Receives parts of an answer while it is generated. */
interface Hearing { begun: (id: string) => void, more: (text: string) => void, done: (answer: Message) => void }

/** Sends a message and streams the answer. Throws the server's refusal, or if the stream breaks off. */
export async function say (
  conversation: string, draft: { text: string, client_id: string }, hear: Hearing
): Promise<void> {
  const answer = await api.open('POST', `/conversations/${conversation}/messages`, { body: draft, accept: STREAM })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  const events = streamReader()
  let isDone = false
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      for (const { data } of events.push(piece.value)) {
        if (data.startsWith('{')) isDone = told(JSON.parse(data) as Part, hear) || isDone
      }
    }
  } catch (error) {
    if (isRefused(error)) throw error
  }
  if (!isDone) throw refusedOf(0, '')
}

/** Whether the answer is complete. */
function told ({ type, messageId, delta, data }: Part, hear: Hearing): boolean {
  if (type === 'start' && messageId) hear.begun(messageId)
  if (type === 'text-delta' && delta) hear.more(delta)
  if (type === 'data-message' && data) hear.done(data)
  return type === 'data-message'
}
