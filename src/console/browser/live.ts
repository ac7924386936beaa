import { signal } from '@preact/signals'
import { api } from './api.ts'

/** An event in the account's conversations, as GET /v1/events reports it. */
export interface Happened {
  type: string, id?: string, seq?: number, role?: string, text?: string, conversation?: unknown, message?: unknown
}

/** Whether an event is not about the conversation itself: who is typing, viewing it, has seen it or is online. */
export const isPassing = (type: string) => ['typing', 'looking', 'seen', 'visitor'].includes(type)

/** Whether events arrive. */
export const isLive = signal(false)

/** Whether this tab reads the stream for the others; it also does what is to be done once for all tabs. */
export const isLeading = signal(false)

const listeners = new Set<(event: Happened) => void>()

/** Calls `heard` with every event from now on; the returned function stops it. */
export function onHappened (heard: (event: Happened) => void): () => void {
  listeners.add(heard)
  return () => { listeners.delete(heard) }
}

/** How long the first read waits for the stream, so that nothing is missed in between and neither is repeated. */
const FIRST_WAIT_MS = 500
/** Resolves when the stream is open, or is known to have failed. */
let begun = Promise.withResolvers<void>()
/** Something that was read may have changed since without an event. */
let isBehind = false

/** Makes a request; `since`: events received meanwhile, which the answer may not reflect yet. */
export async function withEvents<T> (ask: () => Promise<T>): Promise<{ answer: T, since: Happened[] }> {
  await Promise.race([begun.promise, new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS))])
  isBehind ||= !isLive.value
  const since: Happened[] = []
  const end = onHappened((event) => { since.push(event) })
  try { return { answer: await ask(), since } } finally { end() }
}

/** Emitted when events may have been missed: lists must be read again. */
export const MISSED: Happened = { type: 'events.missed' }

/** What one tab sends to the others: an event, or whether the stream is open. */
type Told = { event: Happened } | { isLive: boolean } | 'ask'

const LOCK = 'agenthall-events'
const AGAIN_MS = 3000
const LONGEST_WAIT_MS = 60_000

/**
 * Calls `lead` as soon as no other tab leads. Over plain http browsers have no locks: then each tab reads its own
 * stream.
 */
async function whenAlone (signal: AbortSignal, lead: () => Promise<void>) {
  const { locks } = navigator as { locks?: LockManager }
  await (locks ? locks.request(LOCK, { signal }, lead) : lead())
}

/**
 * Watches the account with one stream for all tabs of the browser: over HTTP/1.1 a browser opens six connections to a
 * server, so that the seventh tab would never load. The tab that holds the lock reads the stream and forwards it to the
 * others; when its tab closes, the next one gets the lock.
 */
export function watch (): () => void {
  const channel = new BroadcastChannel(LOCK)
  const over = new AbortController()

  function hear (event: Happened) {
    for (const heard of listeners) heard(event)
  }

  function tell (told: Told) {
    if (!('locks' in navigator)) return
    if (told === 'ask') {
      if (isLeading.value) channel.postMessage({ isLive: isLive.value })
    } else if ('event' in told) hear(told.event)
    else become(told.isLive)
  }

  function become (live: boolean) {
    isBehind ||= isLive.value && !live
    isLive.value = live
    begun.resolve()
    if (!live || !isBehind) return
    // Events while the stream was down were missed.
    isBehind = false
    hear(MISSED)
  }

  channel.onmessage = ({ data }) => tell(data as Told)
  channel.postMessage('ask')

  whenAlone(over.signal, async () => {
    isLeading.value = true
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    let wait = AGAIN_MS
    const share = (live: boolean) => {
      become(live)
      channel.postMessage({ isLive: live })
    }
    const pass = (event: Happened) => {
      hear(event)
      channel.postMessage({ event })
    }
    const begin = () => {
      source = new EventSource('/v1/events')
      source.onopen = () => {
        wait = AGAIN_MS
        const isTakenOver = isLive.value
        share(true)
        // The leading tab closed without notice: events since then were missed.
        if (isTakenOver) pass(MISSED)
      }
      source.onerror = () => {
        share(false)
        // After an error status, from a proxy without its server or for an ended session, browsers do not reconnect.
        if (source.readyState === EventSource.CLOSED) later()
      }
      source.onmessage = ({ data }) => pass(JSON.parse(data as string) as Happened)
    }
    const later = () => {
      // An ended session is not a failed stream: requesting the signed-in user prompts to sign in again.
      timer = setTimeout(() => {
        api.get('/me').then(() => !over.signal.aborted && begin(), () => !over.signal.aborted && later())
      }, wait)
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
    begin()
    await new Promise((resolve) => over.signal.addEventListener('abort', resolve))
    clearTimeout(timer)
    source!.close()
  }).catch(() => { /* Another tab leads, and this one has ended. */ })

  return () => {
    over.abort()
    channel.close()
    isLive.value = false
    isLeading.value = false
    isBehind = false
    begun = Promise.withResolvers()
  }
}
