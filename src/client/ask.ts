import type { components } from '../../build/client/openapi.d.ts'
import { eventsIn } from './events.ts'
import { ApiError } from './errors.ts'
import { backoff, pause, type Transport } from './transport.ts'

type Message = components['schemas']['Message']

export interface AskOptions {
  /** A conversation to continue; without it a new one is started. */
  conversation?: string
  /** The visitor of the new conversation: their id. */
  visitor?: string
  /** The visitor's language, `de` or `pt-BR`. */
  language?: string
  /** Stops waiting. The answer is still completed: `stop()` ends that too. */
  signal?: AbortSignal
}

/** What an agent answered. */
export interface Answer {
  text: string
  /** Its sources: the passages that the numbers in the text refer to. */
  citations: Message['citations']
  /** The agent said that it does not know. */
  unknown: boolean
  /** The version of the agent that answered; null where a fixed sentence or nobody did. */
  version: number | null
  conversation: string
  /** The whole message; null if a person has the conversation, and no agent answers. */
  message: Message | null
}

/** An event of the stream, as far as it is used here. */
interface Part {
  type: string
  id?: string
  messageId?: string
  delta?: string
  errorText?: string
  data?: Message | { type?: string, data?: Message | null }
}

const TRIES = 8

/**
 * An answer that is being written. Await it for the whole, or iterate over it for the text as it arrives; both can be
 * done, more than once. After a lost connection it resumes at exactly the same character.
 */
export class Asking implements PromiseLike<Answer>, AsyncIterable<string> {
  readonly #pieces: string[] = []
  readonly #transport: Transport
  readonly #whole: Promise<Answer>
  #isOver = false
  #wake: () => void = () => {}
  #woken = new Promise<void>((resolve) => { this.#wake = resolve })
  #conversation: string | undefined
  #answering: string | undefined
  #message: Message | null = null
  #place: string | undefined
  /** Text replayed from the beginning of an answer; undefined while it continues. */
  #again: string | undefined

  constructor (transport: Transport, agent: number, text: string, options: AskOptions) {
    this.#transport = transport
    this.#whole = this.#ask(agent, text, options).finally(() => {
      this.#isOver = true
      this.#tell()
    })
    // Errors are reported to the iterator.
    this.#whole.catch(() => {})
  }

  then<Value = Answer, Error = never> (
    fulfilled?: ((answer: Answer) => Value | PromiseLike<Value>) | null,
    rejected?: ((reason: unknown) => Error | PromiseLike<Error>) | null
  ): Promise<Value | Error> {
    return this.#whole.then(fulfilled, rejected)
  }

  /** The text, piece by piece; each iteration starts at its beginning. */
  async * [Symbol.asyncIterator] (): AsyncGenerator<string> {
    for (let at = 0; ;) {
      while (at < this.#pieces.length) yield this.#pieces[at++]!
      if (this.#isOver) break
      await this.#woken
    }
    await this.#whole
  }

  /** Makes the agent stop writing; what it has written stays. */
  async stop (): Promise<void> {
    if (this.#conversation === undefined || this.#answering === undefined || this.#isOver) return
    const path = `/v1/conversations/${this.#conversation}/messages/${this.#answering}/stop`
    await this.#transport({ method: 'POST', path }, (response) => response.body?.cancel())
  }

  #tell () {
    const wake = this.#wake
    this.#woken = new Promise((resolve) => { this.#wake = resolve })
    wake()
  }

  async #ask (agent: number, text: string, { conversation, visitor, language, signal }: AskOptions): Promise<Answer> {
    this.#conversation = conversation ?? await this.#begin(agent, { visitor, language }, signal)
    // Sent again with the same id it is the same message.
    const body = { text, stream: true, client_id: crypto.randomUUID() }
    let isFinished = false
    for (let tried = 0; !isFinished; tried++) {
      const before = this.#pieces.length
      try {
        isFinished = await this.#read(await this.#connected(body, signal))
      } catch (error) {
        if (error instanceof ApiError || signal?.aborted || tried >= TRIES) throw error
      }
      if (isFinished) break
      if (tried >= TRIES) throw new Error('The answer broke off, and could not be taken up again.')
      if (this.#pieces.length > before) tried = 0
      await pause(backoff(tried), signal)
    }
    const message = this.#message
    return {
      text: message?.text ?? this.#pieces.join(''),
      citations: message?.citations ?? [],
      unknown: message?.unknown ?? false,
      version: message?.agent_version ?? null,
      conversation: this.#conversation,
      message
    }
  }

  async #begin (agent: number, draft: object, signal: AbortSignal | undefined): Promise<string> {
    return await this.#transport(
      { method: 'POST', path: `/v1/agents/${agent}/conversations`, body: draft, signal },
      async (response) => (await response.json() as { data: { id: string } }).data.id
    )
  }

  /** The stream of the answer: from its message on, or after what was already received. */
  async #connected (body: object, signal: AbortSignal | undefined): Promise<Response> {
    const base = `/v1/conversations/${this.#conversation}`
    const headers = { accept: 'text/event-stream' }
    return await this.#transport(this.#place === undefined
      ? { method: 'POST', path: `${base}/messages`, body, headers, signal }
      : { method: 'GET', path: `${base}/events`, headers: { ...headers, 'last-event-id': this.#place }, signal },
    (response) => response)
  }

  /** Reads a stream to its end; returns whether that is the end of the answer. */
  async #read (response: Response): Promise<boolean> {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const { data } = await response.json() as { data: Message }
      if (data.role === 'agent') this.#take(data)
      return true
    }
    for await (const { id, data } of eventsIn(response.body!)) {
      if (id !== '') this.#place = id
      if (data === '[DONE]' || this.#isEnd(JSON.parse(data) as Part)) return true
    }
    return false
  }

  /** Processes an event; returns whether it ends the answer. */
  #isEnd (part: Part): boolean {
    if (part.type === 'start') {
      this.#answering = part.messageId
      this.#again = this.#pieces.length > 0 ? '' : undefined
    } else if (part.type === 'text-delta' && part.delta) {
      this.#hear(part.delta)
    } else if (part.type === 'data-message') {
      this.#take(part.data as Message)
    }
    return part.type === 'finish'
  }

  /** Adds text. In a replay from its beginning, text received before is skipped. */
  #hear (delta: string) {
    let more = delta
    if (this.#again !== undefined) {
      const heard = this.#pieces.join('')
      this.#again += delta
      if (heard.startsWith(this.#again)) return
      more = this.#again.startsWith(heard) ? this.#again.slice(heard.length) : this.#again
      this.#again = undefined
    }
    this.#pieces.push(more)
    this.#tell()
  }

  #take (message: Message) {
    this.#message = message
    if (this.#pieces.length === 0 && message.text !== '') this.#hear(message.text)
  }
}
