import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import type { Notifier } from '../work/notifier.ts'

/**
 * How often all open streams are checked together: whether each is still allowed, and whether it needs a keep-alive.
 */
const BEAT_MS = 500
/**
 * A stream that has been silent for this many beats (10 s) sends a keep-alive: proxies close silent connections, and so
 * does this server after 20 s.
 */
const SILENT_BEATS = 20
/** How soon a client that was cut off reconnects. */
const RETRY_MS = 2000
/** Bytes that may be pending for a slow reader; nothing more is read for it until they are sent. */
const BUFFERED = 16_384

/**
 * One event in the wire format. `id` is what the client sends back as Last-Event-ID; an event without one does not move
 * the client's position.
 */
export interface ServerSentEvent { id?: string, event?: string, data: string }

/** What one stream shows, to whom, and for how long. */
export interface Watched {
  /** Topics of the notifier that signal that there may be something new to read. */
  topics: readonly string[]
  /** The id of the last event that the client has seen. */
  after: string
  /**
   * The events after that id, oldest first; as many as should be sent at once. An empty list: nothing new. Undefined:
   * what was watched has ended or was removed, and the stream ends.
   */
  read (after: string): Promise<readonly ServerSentEvent[] | undefined>
  /**
   * Whether the caller may go on watching. Called before each reading and at every beat, so it should not cost a query.
   */
  isStillAllowed (): boolean | Promise<boolean>
}

/** All open streams of a server. */
export interface EventStreams {
  /** Answers a request with a stream of server-sent events; HEAD with its headers alone. */
  send (request: FastifyRequest, reply: FastifyReply, watched: Watched): FastifyReply
  /** How many are open. */
  open (): number
  /** Checks all of them now. Called by a single timer while any is open. */
  beat (): void
}

/**
 * The only way in which this server streams events. A stream sleeps until the notifier has news of its topics, then
 * reads what is new; there is no polling. It ends within a second after its caller loses access, and when `closing` is
 * aborted.
 */
export function eventStreams ({
  notifier, closing
}: {
  notifier: Notifier, closing: AbortSignal
}): EventStreams {
  const streams = new Set<EventStream>()
  let timer: NodeJS.Timeout | undefined

  function beat () {
    // Writes of other processes wake its readers too.
    notifier.look()
    for (const stream of streams) stream.beat()
  }

  function begin (watched: Watched): Readable {
    const stream = new EventStream(watched)
    if (closing.aborted) {
      stream.end()
      return stream
    }
    const unsubscribe = watched.topics.map((topic) => notifier.subscribe(topic, () => stream.wake()))
    streams.add(stream)
    timer ??= setInterval(beat, BEAT_MS)
    stream.once('close', () => {
      for (const stop of unsubscribe) stop()
      streams.delete(stream)
      if (streams.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
    return stream
  }

  closing.addEventListener('abort', () => {
    clearInterval(timer)
    for (const stream of streams) stream.end()
  })
  return {
    send (request, reply, watched) {
      const { config, method, url } = request.routeOptions
      if (!config.streams) throw new Error(`${String(method)} ${url} does not say what it streams.`)
      reply.type('text/event-stream; charset=utf-8').headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      return reply.send(request.method === 'HEAD' ? '' : begin(watched))
    },
    open: () => streams.size,
    beat
  }
}

/** One client's stream: reads on only while there may be something new and the client accepts more. */
class EventStream extends Readable {
  readonly #watched: Watched
  #after: string
  /** Beats since something was sent. */
  #silent = 0
  /** The client accepts more. */
  #isWanted = false
  /** There may be something to read. */
  #isNew = true
  #isReading = false
  #isOver = false

  constructor (watched: Watched) {
    super({ highWaterMark: BUFFERED })
    this.#watched = watched
    this.#after = watched.after
    this.#say(`: watching\nretry: ${RETRY_MS}\n\n`)
  }

  override _read () {
    this.#isWanted = true
    this.#goOn()
  }

  wake () {
    this.#isNew = true
    this.#goOn()
  }

  async beat () {
    if (!await this.#isStillAllowed()) this.end()
    else if (++this.#silent >= SILENT_BEATS && this.#isWanted) this.#say(': alive\n\n')
  }

  /** Sends nothing further; what was sent before is still delivered. */
  end () {
    if (this.#isOver) return
    this.#isOver = true
    this.push(null)
  }

  /** A caller that cannot be looked up loses access too. */
  async #isStillAllowed () {
    try {
      return await this.#watched.isStillAllowed()
    } catch {
      return false
    }
  }

  #say (text: string) {
    this.#silent = 0
    this.#isWanted = this.push(text)
  }

  async #goOn () {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isNew && this.#isWanted && !this.#isOver && !this.destroyed) await this.#readOn()
    } catch (error) {
      this.destroy(error as Error)
    } finally {
      this.#isReading = false
    }
  }

  async #readOn () {
    this.#isNew = false
    if (!await this.#isStillAllowed()) return this.end()
    const events = await this.#watched.read(this.#after)
    if (this.#isOver || this.destroyed) return
    if (!events) return this.end()
    if (events.length === 0) return
    this.#after = events.findLast(({ id }) => id !== undefined)?.id ?? this.#after
    this.#say(events.map(wireOf).join(''))
    // There may be more than should be sent at once.
    this.#isNew = true
  }
}

function wireOf ({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
}

/**
 * The number of the last event that a client has seen, where events have numbers; undefined where it has seen none.
 * Refuses with VALIDATION_ERROR what is no number.
 */
export function lastEventId ({ headers }: FastifyRequest): number | undefined {
  const header = headers['last-event-id']
  if (header === undefined) return undefined
  if (/^\d{1,15}$/.test(String(header))) return Number(header)
  throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
}
