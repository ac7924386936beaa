import { Readable } from 'node:stream'
import { drop, isPacked, limit, unpacking } from './body.ts'
import { explained, tooLate } from './egress-error.ts'

/** Time limits of a streamed answer, in milliseconds. */
export interface StreamLimits {
  /** From the request to the first byte of the body. */
  firstByteMs: number
  /** Between two pieces of the body, counted only while somebody waits for the next. */
  silenceMs: number
  /** From the request to the end of the body, however slowly it is read. */
  totalMs: number
}

/** Transforms a body before it is delivered. */
export interface Mending {
  /** Called with the next piece: returns what can be delivered by now, which may be nothing. */
  push (piece: Buffer): Uint8Array
  /** Nothing more comes; returns the rest. */
  end (): Uint8Array
}

interface Answer { status: number, headers: Record<string, string>, body: Readable }

/** Statuses whose answers have no body. */
const EMPTY = [204, 205, 304]

/** Returns an answer once its headers have arrived, and applies its limits until its body ends. See Egress.stream. */
export async function streamed (
  url: URL,
  {
    maxBytes, limits, signal, mending
  }: {
    maxBytes: number
    limits: StreamLimits
    signal: AbortSignal | undefined
    mending: ((headers: Record<string, string>) => Mending | undefined) | undefined
  },
  ask: (signal: AbortSignal) => Promise<Answer>
): Promise<Response> {
  const patience = patienceWith(url, limits, signal)
  try {
    const { status, headers, body } = await ask(patience.signal)
    if (EMPTY.includes(status)) {
      drop(body)
      patience.end()
      return new Response(null, { status, headers })
    }
    // What is delivered is unpacked, and its length is not known.
    const { 'content-encoding': _, 'content-length': __, ...plain } = headers
    // It may be cancelled before anybody reads what it unpacks to.
    body.on('error', () => {})
    const pieces = unpacking(body, headers, maxBytes, url)
    const stream = streamOf(pieces, patience, limit(maxBytes, url), mending?.(headers))
    return new Response(stream, { status, headers: isPacked(headers) ? plain : headers })
  } catch (error) {
    throw patience.failed(error)
  }
}

type Patience = ReturnType<typeof patienceWith>

/** One timer for all limits. Its signal aborts with the reason to report: a timeout, or the caller's own. */
function patienceWith (url: URL, { firstByteMs, silenceMs, totalMs }: StreamLimits, caller: AbortSignal | undefined) {
  const late = new AbortController()
  const giveUp = () => late.abort(tooLate(url))
  const total = setTimeout(giveUp, totalMs)
  let isWaiting = true
  const waited = () => { if (isWaiting) giveUp() }
  const first = setTimeout(waited, firstByteMs)
  let silence: NodeJS.Timeout | undefined
  const signal = AbortSignal.any(caller ? [late.signal, caller] : [late.signal])
  const end = () => {
    clearTimeout(total)
    clearTimeout(first)
    clearTimeout(silence)
    late.abort()
  }
  return {
    signal,
    /** The reader waits for the next piece: for the first one within the time limit already running. */
    waits () {
      if (!isWaiting) silence = silence?.refresh() ?? setTimeout(waited, silenceMs)
      isWaiting = true
    },
    /** A piece has arrived. */
    came () {
      clearTimeout(first)
      isWaiting = false
    },
    /** Closes the connection, unless the answer was read to its end, which keeps it for the next request. */
    end,
    /** Ends, and returns the reason to report: why it was aborted, else what went wrong. */
    failed (error: unknown): unknown {
      const reason = signal.aborted ? signal.reason : explained(error, url)
      end()
      return reason
    }
  }
}

/** A body as a web stream, read only when its reader asks. What arrived before a failure is not lost. */
function streamOf (
  body: Readable, patience: Patience, count: (piece: Uint8Array) => void, mending: Mending | undefined
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined
  let isAsked = false
  let failure: { reason: unknown } | undefined

  /** Without a promise for each piece: thousands arrive a second. */
  function hand (piece: Uint8Array) {
    if (piece.length === 0) return
    // Nothing beyond what was requested is read until that is consumed.
    if (!isAsked) body.pause()
    isAsked = false
    reader!.enqueue(piece)
  }

  function begin () {
    body.on('data', (piece: Buffer) => {
      if (failure) return
      patience.came()
      try {
        count(piece)
        hand(mending ? mending.push(piece) : piece)
        if (isAsked) patience.waits()
      } catch (error) {
        body.destroy(error as Error)
      }
    })
    body.once('end', () => {
      if (mending) hand(mending.end())
      patience.end()
      reader!.close()
    })
  }

  body.on('error', (error) => {
    failure ??= { reason: patience.failed(error) }
    if (isAsked) reader!.error(failure.reason)
  })
  return new ReadableStream<Uint8Array>({
    pull (controller) {
      if (failure) return controller.error(failure.reason)
      patience.waits()
      isAsked = true
      if (!reader) begin()
      else if (body.isPaused()) body.resume()
      reader = controller
    },
    cancel (reason) {
      failure = { reason }
      patience.end()
    }
  }, { highWaterMark: 0 })
}
