import type { Id } from '../../schema/common.ts'

/** Where a model is asked. */
export interface Provider {
  /** Sets it apart from the others; failures are counted by it, and the ledger names it: `openai`, `account-7`. */
  id: string
  /** Which protocol it speaks: that of OpenAI, which most do, or that of Anthropic. */
  kind: 'openai' | 'anthropic'
  /** Without a slash at its end: `https://api.openai.com/v1`. */
  url: string
  /** The key, or null where none is needed. A function, so that nothing that prints a provider prints its key. */
  key: () => string | null | Promise<string | null>
  /** The operator set the address, so it may be in a private network. */
  isOperators: boolean
}

/** What a million tokens cost, in the operator's currency. */
export interface Price { input: number, output: number, cached: number }

/** A model that can be asked. */
export interface Model {
  /** As its provider knows it. */
  name: string
  provider: Provider
  /** Null where no price is known. */
  price: Price | null
  /** Tokens that it can read and write together; null where that is not known. */
  context: number | null
}

/** Something said. `text` is what a visitor or the agent said; `before` and `after` are the business's around it. */
export interface Said { role: 'user' | 'assistant', text: string, before?: string, after?: string }

/** What a model is told: its instructions, and what was said, with the sources around the question. */
export interface Wording { system: string, messages: readonly Said[] }

/** What a model may choose to have done: it is done by code, if at all. `parameters`: a JSON schema of an object. */
export interface Tool { name: string, description: string, parameters: { type: 'object' } & Record<string, unknown> }

/** A question to a model. */
export interface ModelRequest {
  /** The models that may answer, the first choice first: see `Models.choose`. */
  models: readonly Model[]
  /** The account that asks: its runs are counted together. */
  owner: Id
  /** Written for each try, so that nobody keeps tens of KB while an answer comes. The same each time. */
  wording: () => Wording
  temperature: number
  /** Tokens that the answer may have. */
  answerTokens: number
  /** What the model may propose beside its text, and for which reasons. Code decides what becomes of it. */
  actions?: { names: readonly string[], reasons: readonly string[] }
  /**
   * What it may choose to have done. A model that knows no tools fails with `model_without_tools`: it would answer as
   * if there were none.
   */
  tools?: readonly Tool[]
  /** The answer is to be a JSON object. Not every model heeds it: read it with `jsonIn`. */
  isJson?: boolean
}

/** Tokens that an answer took. `cached_tokens` are among the `input_tokens`; `cost` is null where no price is known. */
export interface Tokens { input_tokens: number, output_tokens: number, cached_tokens: number, cost: number | null }

/**
 * A piece of an answer: that a model is asked, text and proposed actions as they come, then what it took, then the end.
 */
export type ModelPart =
  /**
   * Once a try. `spent`: what it has taken by now, as the provider says, else estimated from what was sent and
   * received.
   */
  | { type: 'asked', model: string, provider: string, spent: () => Tokens }
  | { type: 'text', text: string }
  | { type: 'action', action: string, reason: string }
  /** One of the tools that it was offered; what it is to be done with is checked by nobody yet. */
  | { type: 'call', name: string, given: Record<string, unknown> }
  | { type: 'usage', usage: Tokens }
  /**
   * Who has answered, and whether it said all it had to say; `length`: it was cut off at `answerTokens`; `filtered`:
   * the provider stopped it.
   */
  | { type: 'end', model: string, provider: string, reason: 'finished' | 'length' | 'filtered' }

/** What a provider says, before it is priced and named. */
export type ProviderPart =
  | Extract<ModelPart, { type: 'text' | 'action' | 'call' }>
  | { type: 'usage', usage: Omit<Tokens, 'cost'> }
  | { type: 'end', reason: Extract<ModelPart, { type: 'end' }>['reason'] }

/**
 * Asks one model once. Throws a ModelError, or the signal's reason. An answer that does not come to its end is an
 * error.
 */
export type Ask = (model: Model, request: ModelRequest, signal: AbortSignal) => AsyncIterable<ProviderPart>

/**
 * Which model answers: the first choice and what follows when it fails; or why there is none, as a sentence for whoever
 * runs the agent.
 */
export type Choice = { models: readonly [Model, ...Model[]] } | { none: string }

/** Language models. */
export interface Models {
  /** Which model answers for an agent of this account. */
  choose (account: { id: Id, hasPremium: boolean }, responseModel: string): Promise<Choice>
  /**
   * The answer, in pieces. Before its first piece a failure is tried again, then the next model is asked; after it none
   * is. Throws a ModelError, whose message a visitor may see, or the signal's reason.
   */
  answer (request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>
  /** How many tokens a text has for a model, estimated; nearer to the truth the more it has answered. */
  tokens (model: Pick<Model, 'name'>, text: string): number
  /** Whether a provider can be reached and takes its key. */
  check (provider: Provider, signal: AbortSignal): Promise<{ ok: true } | { ok: false, code: string, message: string }>
  close (): Promise<void>
}
