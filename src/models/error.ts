/** Codes of model failures, and what people are shown. A provider's own words are for the log only. */
export const MODEL_ERRORS = {
  model_busy: 'Too many answers are being written at the moment. Try again in a few seconds.',
  model_unavailable: 'The language model cannot be reached at the moment. Try again later.',
  model_timeout: 'The language model took too long to answer. Try again later.',
  model_rate_limited: 'The language model gets too many requests at the moment. Try again later.',
  model_key_refused: 'The language model does not accept the key that is set for it. Set another one.',
  model_not_found: 'The provider has no such language model. Choose another one.',
  model_request_refused: 'The language model did not accept the question. Ask it differently, or choose another model.',
  model_address_refused: 'The address of the language model is not on the public internet. Set a public one.',
  model_without_tools: 'The language model does not support tools. Choose another one for agents that act.',
  model_broken: "The language model's answer broke off. Ask again.",
  prompt_too_long:
    'The question and what is known about it are more than the language model can read. Shorten the system prompt.'
} as const

/** One of them. */
export type ModelErrorCode = keyof typeof MODEL_ERRORS

/** What a ModelError holds besides its code. */
interface Details { isRetryable?: boolean, againInMs?: number | null, detail?: string, cause?: unknown }

/** A model did not answer. The message may be shown to anybody. */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  /** Whether asking the same model again at once may help. */
  readonly isRetryable: boolean
  /** Milliseconds to wait before that, if the provider says so. */
  readonly againInMs: number | null
  /** What the provider said, for the log: never for a visitor. */
  readonly detail: string

  constructor (code: ModelErrorCode, { isRetryable = false, againInMs = null, detail = '', cause }: Details = {}) {
    super(MODEL_ERRORS[code], { cause })
    this.name = 'ModelError'
    this.code = code
    this.isRetryable = isRetryable
    this.againInMs = againInMs
    this.detail = detail
  }
}
