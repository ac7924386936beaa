import type { Dispatcher } from 'undici'
import type { Pace } from './pace.ts'

/** Pieces after which nobody rests, so that the first words are not waited for. */
const UNPACED = 8

/**
 * Reads what answers bring at a pace. What has come is handed over as one piece; then its connection rests, and the
 * operating system gathers what the other side goes on to send, which is read at once: a model sends 50 words a second,
 * each by itself, and reading one costs as much as reading ten. Connections have to have a `highWaterMark` of 1, or
 * Node reads on while they rest. Nothing is lost: what comes before an end or a failure is handed over before it.
 */
export function paced (pace: Pace): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new PacedAnswer(handler, pace))
}

/** One response, between its connection and its reader. */
class PacedAnswer implements Dispatcher.DispatchHandler {
  readonly #reader: Dispatcher.DispatchHandler
  readonly #pace: Pace
  #control: PacedControl | undefined
  #held: Buffer[] = []
  #handedOver = 0
  #isGoingOn = false
  #isOver = false

  constructor (reader: Dispatcher.DispatchHandler, pace: Pace) {
    this.#reader = reader
    this.#pace = pace
  }

  onRequestStart (connection: Dispatcher.DispatchController, context: unknown) {
    this.#control = new PacedControl(connection)
    this.#reader.onRequestStart?.(this.#control, context)
  }

  onResponseStart (
    _connection: Dispatcher.DispatchController, ...answer: [number, Record<string, string | string[]>, string?]
  ) {
    this.#reader.onResponseStart?.(this.#control!, ...answer)
  }

  onResponseData (_connection: Dispatcher.DispatchController, piece: Buffer) {
    this.#held.push(piece)
    this.#goOn()
  }

  onResponseEnd (_connection: Dispatcher.DispatchController, trailers: Record<string, string | string[]>) {
    this.#end()
    this.#reader.onResponseEnd?.(this.#control!, trailers)
  }

  onResponseError (_connection: Dispatcher.DispatchController, error: Error) {
    this.#end()
    this.#reader.onResponseError?.(this.#control!, error)
  }

  #end () {
    this.#handOver()
    this.#isOver = true
  }

  #handOver () {
    if (this.#held.length === 0) return
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
    this.#held = []
    this.#handedOver++
    this.#reader.onResponseData?.(this.#control!, all)
  }

  async #goOn () {
    if (this.#isGoingOn) return
    this.#isGoingOn = true
    while (this.#held.length > 0 && !this.#isOver) {
      // What came while it rested is read before its turn has come.
      await this.#pace.turn()
      this.#handOver()
      if (this.#isOver || this.#handedOver <= UNPACED) continue
      this.#control!.rest()
      await this.#pace.rest()
      if (!this.#isOver) this.#control!.goOn()
    }
    this.#isGoingOn = false
  }
}

/** What a reader holds a connection by: it goes on when neither wants it to wait. */
class PacedControl implements Dispatcher.DispatchController {
  readonly #connection: Dispatcher.DispatchController
  #isPaused = false
  #isResting = false

  constructor (connection: Dispatcher.DispatchController) {
    this.#connection = connection
  }

  get aborted () { return this.#connection.aborted }
  get paused () { return this.#isPaused }
  get reason () { return this.#connection.reason }
  get rawHeaders () { return this.#connection.rawHeaders }
  get rawTrailers () { return this.#connection.rawTrailers }

  abort (reason: Error) {
    this.#connection.abort(reason)
  }

  pause () {
    this.#isPaused = true
    this.#connection.pause()
  }

  resume () {
    this.#isPaused = false
    if (!this.#isResting) this.#connection.resume()
  }

  rest () {
    this.#isResting = true
    this.#connection.pause()
  }

  goOn () {
    this.#isResting = false
    if (!this.#isPaused) this.#connection.resume()
  }
}
