/** Every way the service says no, with the HTTP status each has at the edge. The CLI prints only the sentence. */
export const REFUSALS = {
  VALIDATION_ERROR: 400,
  malformed_json: 400,
  authentication_required: 401,
  permission_denied: 403,
  feature_unavailable: 403,
  kept_in_code: 403,
  not_found: 404,
  method_not_allowed: 405,
  // For commands and data files; each reason for refusing a request has a separate code.
  conflict: 409,
  action_off: 409,
  agent_inactive: 409,
  already_member: 409,
  already_registered: 409,
  already_sent: 409,
  assistant_unknown: 409,
  call_changed: 409,
  call_settled: 409,
  consent_missing: 409,
  conversation_closed: 409,
  details_missing: 409,
  feed_paused: 409,
  folder_cycle: 409,
  handoff_not_set_up: 409,
  in_progress: 409,
  in_use: 409,
  last_owner: 409,
  limit_reached: 409,
  mail_not_set_up: 409,
  not_an_answer: 409,
  not_last_answer: 409,
  not_asked: 409,
  not_planned: 409,
  not_taken_over: 409,
  not_verified: 409,
  not_waiting: 409,
  nothing_asked: 409,
  nothing_to_publish: 409,
  nothing_to_remove: 409,
  notice_changed: 409,
  provider_removed: 409,
  questions_failed: 409,
  questions_running: 409,
  recipient_unknown: 409,
  root_folder: 409,
  taken: 409,
  taken_over: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  training_limit_exceeded: 413,
  storage_limit_exceeded: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  idempotency_mismatch: 422,
  rule_acts_on_most: 422,
  rule_tests_failed: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  storage_full: 507
} as const

/** The machine-readable name of a refusal, as clients see it in `error.code`. */
export type RefusalCode = keyof typeof REFUSALS

/**
 * One invalid field of a request, spelt as the request spells it: `behavior.suggestions[2]`. `code`: why, where a
 * program can act on it. `rule`: which rule of its schema it breaks, for callers that ask for it.
 */
export interface FieldError { field: string, message: string, code?: string, rule?: BrokenRule }

/** A rule by name and what it allows, so that it can be expressed in another language. */
export interface BrokenRule { code?: string, limit?: number, example?: string }

/** What a refusal may carry besides its sentence. */
interface RefusalExtras {
  /** Facts a program can act on, shown as `error.fields`. */
  fields?: Record<string, unknown>
  /** The violated fields of a VALIDATION_ERROR. */
  details?: FieldError[]
  /** Response headers the refusal needs, `retry-after` for example. */
  headers?: Record<string, string>
  /** The actual cause; logged, never shown. */
  cause?: unknown
}

/**
 * The service says no. The code decides the status, the message is a sentence telling a person what to do next.
 * Anything thrown that is not a Refusal is our own fault and is shown as `internal_error`.
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  readonly fields: Record<string, unknown>
  readonly details: FieldError[]
  readonly headers: Record<string, string>

  constructor (
    code: RefusalCode, message: string, { fields = {}, details = [], headers = {}, cause }: RefusalExtras = {}
  ) {
    super(message, { cause })
    this.name = 'Refusal'
    this.code = code
    this.status = REFUSALS[code]
    this.fields = fields
    this.details = details
    this.headers = headers
  }
}

/**
 * The result of a decision, the Refusal included: as data, for a transaction that may find that it was made before.
 * Anything else that is thrown is a fault.
 */
export function decided<T> (decide: () => T): T | Refusal {
  try {
    return decide()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** The code of something thrown (`ENOENT`); empty if it has none, or a number. */
export function errorCode (error: unknown): string {
  const { code }: { code?: unknown } = Object(error)
  return typeof code === 'string' ? code : ''
}

/** What something thrown says. */
export function errorMessage (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Maximum number of characters of the input that a message repeats. */
const REPEATED = 100

/** A text cut to `most` UTF-16 units, ellipsis included; the default is what a message may repeat of the input. */
export function shortened (text: string, most = REPEATED): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text
}

/** A VALIDATION_ERROR about the named fields. */
export function invalid (...details: FieldError[]): Refusal {
  return new Refusal('VALIDATION_ERROR', 'Invalid parameters: see details for each field.', { details })
}

/**
 * Why background work failed: a code for programs, a sentence telling a person what to do, whether a later try may
 * succeed.
 */
export interface Failure { code: string, message: string, retryable: boolean }

/** Nothing exists at this address, or nothing that the caller may know of. */
export function nothingHere (): Refusal {
  return new Refusal('not_found', 'Nothing is at this address.')
}
