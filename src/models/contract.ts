import type { Id } from '../../schema/common.ts'

/** Where a model is asked. */
export interface Provider {
  /** Unique id; failures are counted by it, and the ledger names it: `openai`, `account-7`. */
  id: string
  /** Which protocol it speaks: OpenAI's, as most do, or Anthropic's. */
  kind: 'openai' | 'anthropic'
  /** Without a trailing slash: `https://api.openai.com/v1`. */
  url: string
  /** The key, or null where none is needed. A function, so that nothing that prints a provider prints its key. */
  key: () => string | null | Promise<string | null>
  /** The operator set the address, so it may be in a private network. */
  isOperators: boolean
}

/** Price per million tokens, in the operator's currency. */
export interface Price { input: number, output: number, cached: number }

/** A model that can be asked. */
export interface Model {
  /** Its name at the provider. */
  name: string
  provider: Provider
  /** Null where no price is known. */
  price: Price | null
  /** Context window: tokens that it can read and write together; null if unknown. */
  context: number | null
}

/** A message. `text` is what a visitor or the agent said; `before` and `after` are the business's text around it. */
export interface Said { role: 'user' | 'assistant', text: string, before?: string, after?: string }

/** A prompt: the instructions, and the messages, with the sources around the question. */
export interface Wording { system: string, messages: readonly Said[] }

/** A tool that a model may call: code carries it out, if at all. `parameters`: a JSON schema of an object. */
export interface Tool { name: string, description: string, parameters: { type: 'object' } & Record<string, unknown> }

/** A question to a model. */
export interface ModelRequest {
  /** The models that may answer, the first choice first: see `Models.choose`. */
  models: readonly Model[]
  /** The account that asks: its concurrent answers are counted together. */
  owner: Id
  /** Built for each try, so that tens of KB are not held while an answer streams. The same each time. */
  wording: () => Wording
  temperature: number
  /** Maximum tokens of the answer. */
  answerTokens: number
  /** What the model may propose besides its text, and for which reasons. Code decides what comes of it. */
  actions?: { names: readonly string[], reasons: readonly string[] }
  /**
   * Tools it may call. A model without tool support fails with `model_without_tools`: it would answer as if there were
   * none.
   */
  tools?: readonly Tool[]
  /** The answer is to be a JSON object. Not every model complies: read it with `jsonIn`. */
  isJson?: boolean
}

/** Tokens that an answer used. `cached_tokens` are among the `input_tokens`; `cost` is null if no price is known. */
export interface Tokens { input_tokens: number, output_tokens: number, cached_tokens: number, cost: number | null }

/** A piece of an answer: the start of a try, text and proposed actions as they come, then its usage, then the end. */
export type ModelPart =
  /**
   * Once per try. `spent`: its usage so far, as the provider reports it, else estimated from what was sent and
   * received.
   */
  | { type: 'asked', model: string, provider: string, spent: () => Tokens }
  | { type: 'text', text: string }
  | { type: 'action', action: string, reason: string }
  /** A call of one of the tools offered; its arguments have not been validated yet. */
  | { type: 'call', name: string, given: Record<string, unknown> }
  | { type: 'usage', usage: Tokens }
  /**
   * Which model answered, and whether it finished; `length`: it was cut off at `answerTokens`; `filtered`: the provider
   * stopped it.
   */
  | { type: 'end', model: string, provider: string, reason: 'finished' | 'length' | 'filtered' }

/** A provider's output, before price and model name are added. */
export type ProviderPart =
  | Extract<ModelPart, { type: 'text' | 'action' | 'call' }>
  | { type: 'usage', usage: Omit<Tokens, 'cost'> }
  | { type: 'end', reason: Extract<ModelPart, { type: 'end' }>['reason'] }

/** Asks one model once. Throws a ModelError, or the signal's reason. An answer that breaks off is an error. */
export type Ask = (model: Model, request: ModelRequest, signal: AbortSignal) => AsyncIterable<ProviderPart>

/**
 * Which model answers: the first choice and its fallbacks; or why there is none, as a sentence for those who run the
 * agent.
 */
export type Choice = { models: readonly [Model, ...Model[]] } | { none: string }

/** Language models. */
export interface Models {
  /** Which model answers for an agent of this account. */
  choose (account: { id: Id, hasPremium: boolean }, responseModel: string): Promise<Choice>
  /**
   * The answer, in pieces. A failure before the first piece is retried, then the next model is asked; after it neither
   * happens. Throws a ModelError, whose message a visitor may see, or the signal's reason.
   */
  answer (request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>
  /** Estimated tokens of a text for a model; more accurate the more it has answered. */
  tokens (model: Pick<Model, 'name'>, text: string): number
  /** Whether a provider can be reached and accepts its key. */
  check (provider: Provider, signal: AbortSignal): Promise<{ ok: true } | { ok: false, code: string, message: string }>
  close (): Promise<void>
}
