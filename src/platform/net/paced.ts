import type { Dispatcher } from 'undici'
import type { Pace } from './pace.ts'

/** Pieces that are delivered without a pause, so that the first words are not delayed. */
const UNPACED = 8

/**
 * Reads responses at a pace. What has arrived is delivered as one piece; then its connection pauses, and the operating
 * system collects what the other side goes on to send, which is read at once: a model sends 50 words a second, each
 * separately, and reading one costs as much as reading ten. Connections must have a `highWaterMark` of 1, or Node reads
 * on while they pause. Nothing is lost: what arrives before an end or a failure is delivered before it.
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
      // What arrived during the pause is read before its turn comes.
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

/** A reader's control of its connection: it resumes when neither the reader nor the pace wants it to wait. */
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
