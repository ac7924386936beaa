import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import type { Notifier } from '../work/notifier.ts'

/**
 * How often all open streams are looked at together: whether each is still allowed, and whether it has to say that it
 * is alive.
 */
const BEAT_MS = 500
/**
 * A stream that has said nothing for so many beats (10 s) says that it is alive: proxies close what is silent, and so
 * does this server after 20 s.
 */
const SILENT_BEATS = 20
/** How soon a client that was cut off comes again. */
const RETRY_MS = 2000
/** Bytes that wait for a slow reader; nothing more is read for it until it has taken them. */
const BUFFERED = 16_384

/**
 * One event as the wire has it. `id` is what the client sends back as Last-Event-ID; without one its place does not
 * move.
 */
export interface ServerSentEvent { id?: string, event?: string, data: string }

/** What one stream shows, and to whom for how long. */
export interface Watched {
  /** Topics of the notifier after which there may be something new to read. */
  topics: readonly string[]
  /** The id of the last event that the client has seen. */
  after: string
  /**
   * The events after that id, oldest first; as many as are good to send at once. An empty list: nothing new. Undefined:
   * what was watched is over or gone, and the stream ends.
   */
  read (after: string): Promise<readonly ServerSentEvent[] | undefined>
  /**
   * Whether the caller may go on watching. Asked before each reading and at every beat, so it should not cost a query.
   */
  isStillAllowed (): boolean | Promise<boolean>
}

/** All open streams of a server. */
export interface EventStreams {
  /** Answers a request with a stream of server-sent events; HEAD with its headers alone. */
  send (request: FastifyRequest, reply: FastifyReply, watched: Watched): FastifyReply
  /** How many are open. */
  open (): number
  /** Looks at all of them now. Called by the one timer there is, while any is open. */
  beat (): void
}

/**
 * The one way in which this server streams events. A stream sleeps until the notifier has news of its topics, then
 * reads what is new; nobody is asked in turn. It ends within a second after its caller is no longer allowed to watch,
 * and when `closing` is aborted.
 */
export function eventStreams ({
  notifier, closing
}: {
  notifier: Notifier, closing: AbortSignal
}): EventStreams {
  const streams = new Set<EventStream>()
  let timer: NodeJS.Timeout | undefined

  function beat () {
    // What another process has written wakes its readers too.
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

/** One client's stream: reads on only while there may be something new and the client takes it. */
class EventStream extends Readable {
  readonly #watched: Watched
  #after: string
  /** Beats since something was said. */
  #silent = 0
  /** The client takes more. */
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

  /** Who cannot be looked up does not go on either. */
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
    // There may be more than was good to send at once.
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
