import { Readable } from 'node:stream'
import { drop, isPacked, unpacked } from './body.ts'
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

interface Answer { status: number, headers: Record<string, string>, body: Readable }

/** Statuses whose answers have no body. */
const EMPTY = [204, 205, 304]

/** Hands an answer over once its headers are there, and keeps its limits until its body ends. See Egress.stream. */
export async function streamed (
  url: URL,
  {
    maxBytes, limits, signal
  }: {
    maxBytes: number, limits: StreamLimits, signal: AbortSignal | undefined
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
    const stream = streamOf(unpacked(body, headers, maxBytes, url), body, patience)
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
  let waiting: NodeJS.Timeout | undefined = setTimeout(giveUp, firstByteMs)
  const signal = AbortSignal.any(caller ? [late.signal, caller] : [late.signal])
  const end = () => {
    clearTimeout(total)
    clearTimeout(waiting)
    late.abort()
  }
  return {
    signal,
    /** Waits for the next piece of the body: the first within the time that is already running. */
    async next<T> (piece: () => Promise<T>): Promise<T> {
      waiting ??= setTimeout(giveUp, silenceMs)
      try {
        return await piece()
      } finally {
        clearTimeout(waiting)
        waiting = undefined
      }
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
function streamOf (pieces: AsyncIterable<Uint8Array>, body: Readable, patience: Patience): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  // It may be given up while nobody reads; the next who does is told.
  body.on('error', () => {})
  return new ReadableStream<Uint8Array>({
    async pull (controller) {
      try {
        const piece = await patience.next(() => iterator.next())
        if (!piece.done) return controller.enqueue(piece.value)
        patience.end()
        controller.close()
      } catch (error) {
        controller.error(patience.failed(error))
      }
    },
    cancel: patience.end
  }, { highWaterMark: 0 })
}
