import { Readable } from 'node:stream'
import { drop, isPacked, limit, unpacking } from './body.ts'
import { explained, tooLate } from './egress-error.ts'

/** How long an answer that is read as it comes may take, in milliseconds. */
export interface StreamLimits {
  /** From the question to the first byte of the body. */
  firstByteMs: number
  /** Between two pieces of the body, counted only while somebody waits for the next. */
  silenceMs: number
  /** From the question to the end of the body, however slowly it is read. */
  totalMs: number
}

/** What is made of a body before it is handed over. */
export interface Mending {
  /** Of the next piece: what can be handed over by now, which may be nothing. */
  push (piece: Buffer): Uint8Array
  /** Nothing more comes; returns the rest. */
  end (): Uint8Array
}

interface Answer { status: number, headers: Record<string, string>, body: Readable }

/** Statuses whose answers have no body. */
const EMPTY = [204, 205, 304]

/** Hands an answer over once its headers are there, and keeps its limits until its body ends. See Egress.stream. */
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
    // What is handed over is unpacked, and its length is not known.
    const { 'content-encoding': _, 'content-length': __, ...plain } = headers
    // It may be given up before anybody reads what it unpacks to.
    body.on('error', () => {})
    const pieces = unpacking(body, headers, maxBytes, url)
    const stream = streamOf(pieces, patience, limit(maxBytes, url), mending?.(headers))
    return new Response(stream, { status, headers: isPacked(headers) ? plain : headers })
  } catch (error) {
    throw patience.failed(error)
  }
}

type Patience = ReturnType<typeof patienceWith>

/** One clock for all limits. Its signal aborts with what is to be told: a timeout, or the caller's own reason. */
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
    /** Somebody waits for the next piece: for the first within the time that is already running. */
    waits () {
      if (!isWaiting) silence = silence?.refresh() ?? setTimeout(waited, silenceMs)
      isWaiting = true
    },
    /** A piece has come. */
    came () {
      clearTimeout(first)
      isWaiting = false
    },
    /** Lets go of the connection, unless the answer was read to its end, which keeps it for the next question. */
    end,
    /** Ends, and returns what is to be told: why it was given up, else what went wrong. */
    failed (error: unknown): unknown {
      const reason = signal.aborted ? signal.reason : explained(error, url)
      end()
      return reason
    }
  }
}

/** A body as the web's streams are, read only when its reader asks. What had come before a failure is not lost. */
function streamOf (
  body: Readable, patience: Patience, count: (piece: Uint8Array) => void, mending: Mending | undefined
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined
  let isAsked = false
  let failure: { reason: unknown } | undefined

  /** Without promises of its own for each piece: thousands come a second. */
  function hand (piece: Uint8Array) {
    if (piece.length === 0) return
    // Nothing beyond what was asked for is read until that is consumed.
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
