import { signal } from '@preact/signals'
import { api } from './api.ts'

/** Something that happened in the account's conversations, as GET /v1/events tells it. */
export interface Happened {
  type: string, id?: string, seq?: number, role?: string, text?: string, conversation?: unknown, message?: unknown
}

/** Whether an event says nothing of the conversation itself: who types in it, looks at it, has seen it or is there. */
export const isPassing = (type: string) => ['typing', 'looking', 'seen', 'visitor'].includes(type)

/** Whether events arrive. */
export const isLive = signal(false)

/** Whether this tab reads the stream for the others: what is to be done once for all tabs, it does. */
export const isLeading = signal(false)

const listeners = new Set<(event: Happened) => void>()

/** Calls `heard` with everything that happens from now on; the answer ends it. */
export function onHappened (heard: (event: Happened) => void): () => void {
  listeners.add(heard)
  return () => { listeners.delete(heard) }
}

/** How long the first reading waits for the stream, so that nothing happens between the two and neither is repeated. */
const FIRST_WAIT_MS = 500
/** Resolves when the stream stands, or is known to fail. */
let begun = Promise.withResolvers<void>()
/** Something was read that may have changed since, unheard. */
let isBehind = false

/** Asks for something; `since`: what happened meanwhile, which the answer may not know yet. */
export async function withEvents<T> (ask: () => Promise<T>): Promise<{ answer: T, since: Happened[] }> {
  await Promise.race([begun.promise, new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS))])
  isBehind ||= !isLive.value
  const since: Happened[] = []
  const end = onHappened((event) => { since.push(event) })
  try { return { answer: await ask(), since } } finally { end() }
}

/** Said when events may have been missed: lists are to be read anew. */
export const MISSED: Happened = { type: 'events.missed' }

/** What one tab tells the others: an event, or whether the stream stands. */
type Told = { event: Happened } | { isLive: boolean } | 'ask'

const LOCK = 'agenthall-events'
const AGAIN_MS = 3000
const LONGEST_WAIT_MS = 60_000

/**
 * Calls `lead` as soon as no other tab does. Over plain http browsers have no locks: then every tab watches for itself.
 */
async function whenAlone (signal: AbortSignal, lead: () => Promise<void>) {
  const { locks } = navigator as { locks?: LockManager }
  await (locks ? locks.request(LOCK, { signal }, lead) : lead())
}

/**
 * Watches the account with one stream for all tabs of the browser: over HTTP/1.1 a browser opens six connections to a
 * server, so that the seventh tab would never load. Whoever holds the lock reads the stream and tells the others; when
 * its tab closes, the next one gets the lock.
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
    // What happened while the stream was down is known to nobody here.
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
        // The tab that led is gone without a word: what happened since then is known to nobody.
        if (isTakenOver) pass(MISSED)
      }
      source.onerror = () => {
        share(false)
        // After a refusal, as of a proxy without its server or of a session that is over, a browser tries no more.
        if (source.readyState === EventSource.CLOSED) later()
      }
      source.onmessage = ({ data }) => pass(JSON.parse(data as string) as Happened)
    }
    const later = () => {
      // A session that is over is no failed stream: asking who is signed in asks to sign in again.
      timer = setTimeout(() => {
        api.get('/me').then(() => !over.signal.aborted && begin(), () => !over.signal.aborted && later())
      }, wait)
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
    begin()
    await new Promise((resolve) => over.signal.addEventListener('abort', resolve))
    clearTimeout(timer)
    source!.close()
  }).catch(() => { /* Another tab watches, and this one has ended. */ })

  return () => {
    over.abort()
    channel.close()
    isLive.value = false
    isLeading.value = false
    isBehind = false
    begun = Promise.withResolvers()
  }
}
