import { streamReader } from './stream.ts'
import type { Conversation, Message } from './types.ts'

/** What is stored in a visitor's browser: only their identity for this server. */
interface Kept { token?: string, conversation?: string }

/** Why the server said no, to which fields, or that it could not be reached (`status` 0). */
export interface Refused extends Error { status: number, code?: string, details?: Array<{ field: string }> }

function refused (status: number, told: Partial<Refused> = {}): Refused {
  return Object.assign(new Error(), told, { status })
}

/** A visitor's session, as far as the widget needs it. */
export interface Visitor { introduced: boolean, consented: boolean }

interface Session { token: string, visitor: Visitor, conversation: string | null }

/** The last event read from a stream, and the signal that ends it. */
export interface StreamCursor { last: string, signal: AbortSignal }

/** One part of the stream of a conversation. */
export interface Part { type: string, id?: string, messageId?: string, delta?: string, data?: unknown }

const PATIENCE_MS = 20_000
const FIRST_WAIT_MS = 800
const LONGEST_WAIT_MS = 30_000

/** Talks to the server for one visitor. The token goes in a header, never in an address. */
export function openClient (base: string, key: string, identityOf: () => string | undefined) {
  const name = `agenthall:${key}`
  let kept = read()
  let session: Promise<Session> | undefined

  /** Storage may be blocked: then the conversation lasts as long as the page. */
  function read (): Kept {
    try { return JSON.parse(localStorage.getItem(name) ?? '{}') as Kept } catch { return {} }
  }

  function keep (more: Kept) {
    kept = { ...kept, ...more }
    try { localStorage.setItem(name, JSON.stringify(kept)) } catch { /* See read. */ }
  }

  /** `from`: streams what happens after an event until the signal, however long that takes. */
  async function send (
    method: string, path: string, body?: unknown, token?: string, from?: StreamCursor
  ): Promise<Response> {
    const isForm = body instanceof FormData
    const answer = await fetch(`${base}v1/widget/${path}`, {
      method,
      credentials: 'omit',
      cache: 'no-store',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(from && { 'last-event-id': from.last }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' })
      },
      body: isForm ? body : JSON.stringify(body),
      // No timeout for files.
      signal: isForm ? undefined : from?.signal ?? AbortSignal.timeout(PATIENCE_MS)
    }).catch(() => {
      throw refused(0)
    })
    if (answer.ok) return answer
    const told = await answer.json().catch(() => ({})) as { error?: Partial<Refused> }
    throw refused(answer.status, told.error)
  }

  async function begin (): Promise<Session> {
    const identity = identityOf()
    const answer = await send('POST', 'session', { key, identity }, identity ? undefined : kept.token)
    const { data: begun } = await answer.json() as { data: Session }
    keep({ token: begun.token, conversation: begun.conversation ?? undefined } as Kept)
    return begun
  }

  function begun (): Promise<Session> {
    session ??= begin().catch((error) => {
      session = undefined
      throw error
    })
    return session
  }

  /** Sends a request as the visitor; an expired session is renewed once. */
  async function call<T> (method: string, path: string, body?: unknown): Promise<T> {
    const { token } = await begun()
    const answer = await send(method, path, body, token).catch(async (error: Refused) => {
      if (error.status !== 401) throw error
      session = undefined
      return await send(method, path, body, (await begun()).token)
    })
    return await answer.json() as T
  }

  const data = async <T>(method: string, path: string, body?: unknown) =>
    (await call<{ data: T }>(method, path, body)).data

  /** Reads a connection of the stream to its end. */
  async function follow (id: string, place: StreamCursor, onPart: (part: Part) => void) {
    const { token } = await begun()
    const { body } = await send('GET', `conversations/${id}/events`, undefined, token, place)
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
    const events = streamReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        for (const { id: last, data: text } of events.push(value)) {
          place.last = last ?? place.last
          if (text.startsWith('{')) onPart(JSON.parse(text) as Part)
        }
      }
    } catch { /* Cut off in the middle: what was read counts. */ }
  }

  return {
    /** Whether the visitor is known, by a stored token or an identity. */
    isKnown: () => (kept.token ?? identityOf()) !== undefined,
    begun,
    call: data,
    keep,
    forget () {
      kept = {}
      session = undefined
      try {
        localStorage.removeItem(name)
      } catch {
        /* See read. */
      }
    },
    /** A different visitor: the next request begins a new session. */
    renew () {
      session = undefined
    },
    messages: (id: string) =>
      call<{ data: Message[], last_event: string }>('GET', `conversations/${id}/messages`),
    conversation: (id: string) => data<Conversation>('GET', `conversations/${id}`),

    /**
     * Watches a conversation until the signal; resumes where it was cut off, with growing waits while the server does
     * not answer.
     */
    async watch (
      id: string,
      place: StreamCursor,
      on: { part: (part: Part) => void, lost: (isLost: boolean) => void, gone: () => void }
    ) {
      for (let failures = 0; !place.signal.aborted;) {
        try {
          const before = place.last
          await follow(id, place, (part) => {
            if (failures > 0) on.lost(false)
            failures = 0
            on.part(part)
          })
          failures = place.last === before ? failures + 1 : 0
        } catch (error) {
          if (place.signal.aborted) return
          const { status = 0 } = error as Refused
          if (status === 404) return on.gone()
          if (status === 401) session = undefined
          failures++
        }
        if (failures > 1) on.lost(true)
        const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
        await new Promise((resolve) => {
          // Jitter: not all at once after a server was down.
          setTimeout(resolve, wait * (0.5 + Math.random() / 2))
          addEventListener('online', resolve, { once: true })
        })
      }
    }
  }
}

export type Client = ReturnType<typeof openClient>
