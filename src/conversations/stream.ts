import type { FastifyRequest } from 'fastify'
import type { Message, MessageRecord } from '../../schema/conversations.ts'
import { invalid } from '../platform/errors.ts'
import type { Generation } from './generation.ts'
import type { ConversationEvent } from './store.ts'

/**
 * The one stream: the events of a conversation, in the message format of the npm package `ai`, with ids of our own. A
 * stored part has the number of its event as id; while an answer is being written it is `<event>.<UTF-16 units of the
 * answer sent so far>`, so a client that sends it back as Last-Event-ID resumes exactly there.
 */
interface StreamPosition { event: number, units: number }

/** One part as it is sent. */
export interface Part { id?: string, data: string }

/**
 * The position of an id; undefined if invalid. One after the `newest` event, which was never issued or is from a state
 * replaced by a backup, means now.
 */
export function placeOf (id: string, newest = Infinity): StreamPosition | undefined {
  const found = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(id)
  if (!found) return undefined
  const event = Number(found[1])
  return event > newest ? { event: newest, units: 0 } : { event, units: Number(found[2] ?? 0) }
}

/**
 * The position a request resumes from (Last-Event-ID); by default the `newest` event. Refuses with VALIDATION_ERROR an
 * invalid one.
 */
export function placeAsked ({ headers }: FastifyRequest, newest: number): StreamPosition {
  const header = headers['last-event-id']
  const place = header === undefined ? { event: newest, units: 0 } : placeOf(String(header), newest)
  if (!place) throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
  return place
}

/**
 * Everything a watcher at this position has not seen: events since then, and the visible part of the answer being
 * written. A watcher that claims more of an answer than exists has seen nothing of it: it is shown from the start.
 */
export function partsAfter (
  { event, units }: StreamPosition, events: readonly ConversationEvent[], run: Generation | undefined, isAll: boolean
): Part[] {
  const parts: Part[] = []
  let at = event
  let seen = units
  // Its end may be stored before its writer knows.
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
    // Events beside an answer do not change the position in it.
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

/** A complete answer. */
export function partsOfWhole (message: MessageRecord): Part[] {
  return [...beginning(message), { data: delta(message, message.text) }, ...ending(message)]
}

/** The end marker for clients that expect one. */
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
