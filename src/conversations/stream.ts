import type { FastifyRequest } from 'fastify'
import type { Message, MessageRecord } from '../../schema/conversations.ts'
import { invalid } from '../platform/errors.ts'
import type { Run } from './run.ts'
import type { ConversationEvent } from './store.ts'

/**
 * The one stream: what happens in a conversation, in the message format of the npm package `ai`, with ids of our own. A
 * part that is kept has the number of its event as id; while an answer is being written it is `<event>.<UTF-16 units of
 * the answer sent so far>`, so that whoever sends it back as Last-Event-ID goes on exactly there.
 */
export interface Place { event: number, units: number }

/** One part as it goes out. */
export interface Part { id?: string, data: string }

/**
 * The place that an id stands for; undefined when it is none. One behind the `newest` event, which was never given out
 * or is of a state that a backup has replaced, stands for now.
 */
export function placeOf (id: string, newest = Infinity): Place | undefined {
  const found = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(id)
  if (!found) return undefined
  const event = Number(found[1])
  return event > newest ? { event: newest, units: 0 } : { event, units: Number(found[2] ?? 0) }
}

/**
 * The place that a request goes on from (Last-Event-ID); without one from the `newest` event. Refuses with
 * VALIDATION_ERROR what is no place.
 */
export function placeAsked ({ headers }: FastifyRequest, newest: number): Place {
  const header = headers['last-event-id']
  const place = header === undefined ? { event: newest, units: 0 } : placeOf(String(header), newest)
  if (!place) throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
  return place
}

/**
 * Everything a watcher at this place has not seen: what happened since, and what is to be seen of the answer that is
 * being written. Who names more of an answer than there is of it has seen nothing of it: it is shown from its
 * beginning.
 */
export function partsAfter (
  { event, units }: Place, events: readonly ConversationEvent[], run: Run | undefined, isAll: boolean
): Part[] {
  const parts: Part[] = []
  let at = event
  let seen = units
  // Its end may be kept before who writes it knows.
  let writing = run
  for (const { seq, type, message } of events) {
    if (message?.role === 'agent') {
      if (type === 'message.completed') {
        if (seen > message.text.length) seen = 0
        if (seen === 0) parts.push(...beginning(message))
        if (message.text.length > seen) {
          parts.push({ id: `${at}.${message.text.length}`, data: delta(message, message.text.slice(seen)) })
        }
        parts.push(...ending(message))
        if (message.id === run?.answer.id) writing = undefined
      } else if (type === 'message.restarted') {
        if (seen > 0) parts.push({ data: JSON.stringify({ type: 'text-end', id: message.id }) })
        writing = run
      }
      if (type !== 'message.updated') seen = 0
    }
    at = seq
    // What happens beside an answer does not move the place in it.
    parts.push({
      id: seen === 0 ? String(seq) : `${seq}.${seen}`,
      data: JSON.stringify({
        type: 'data-event', transient: true, data: { seq, type, data: message && shownMessage(message) }
      })
    })
  }
  if (writing && seen > writing.text.length) seen = 0
  if (writing && isAll && writing.text.length > seen) {
    const { answer, text } = writing
    if (seen === 0) parts.push(...beginning(answer))
    parts.push({ id: `${at}.${text.length}`, data: delta(answer, text.after(seen)) })
  }
  return parts
}

/** An answer that is done, all of it. */
export function partsOfWhole (message: MessageRecord): Part[] {
  return [...beginning(message), { data: delta(message, message.text) }, ...ending(message)]
}

/** The end of a stream for a client that expects one. */
export const DONE: Part = { data: '[DONE]' }

function beginning ({ id }: MessageRecord): Part[] {
  return [{ type: 'start', messageId: id }, { type: 'text-start', id }].map((part) => ({ data: JSON.stringify(part) }))
}

function delta ({ id }: MessageRecord, text: string): string {
  return JSON.stringify({ type: 'text-delta', id, delta: text })
}

/** The sources of an answer, the whole message, and its end. */
function ending (message: MessageRecord): Part[] {
  const { id, citations, status, error } = message
  const parts = [
    { type: 'text-end', id },
    ...citations.map(({ n, url, title }) => url
      ? { type: 'source-url', sourceId: `${id}-${n}`, url, title }
      : { type: 'source-document', sourceId: `${id}-${n}`, mediaType: 'text/plain', title }),
    { type: 'data-message', id, data: shownMessage(message) },
    ...(status === 'failed' ? [{ type: 'error', errorText: error?.message ?? 'The answer failed.' }] : []),
    { type: 'finish' }
  ]
  return parts.map((part) => ({ data: JSON.stringify(part) }))
}

/** A message as answers show it. */
export function shownMessage ({ attempts: _attempts, ...message }: MessageRecord): Message {
  return message
}
