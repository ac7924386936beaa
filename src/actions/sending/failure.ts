import type { CallFailure } from '../../../schema/actions.ts'
import { errorCode, Refusal } from '../../platform/errors.ts'
import { EgressError } from '../../platform/net/egress.ts'
import type { Failure, Sent } from '../contract.ts'

/** Nothing was sent to the system itself; the failure is the code that the call keeps. */
export class UnsentError extends Refusal {
  readonly failure: CallFailure

  constructor (failure: CallFailure, message: string, cause?: unknown) {
    super('unavailable', message, { cause })
    this.failure = failure
  }
}

/** The failure of a request; null if there was none. */
export const failureIn = ({ error, error_code: code }: Pick<Sent, 'error' | 'error_code'>): Failure | null =>
  error === null || code === null ? null : { error, error_code: code }

/** Certificates that nobody trusts, by the beginning of the code of the connection's failure. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/
const NO_HOST = /^(?:ENOTFOUND|ENODATA)$/

/** Why a request failed before its response was read. */
export function failureOf (error: unknown): Failure {
  if (error instanceof UnsentError) return { error: error.message, error_code: error.failure }
  if (error instanceof EgressError) return { error: error.message, error_code: ofEgress(error) }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { error: 'It took too long to answer.', error_code: 'timeout' }
  }
  return { error: 'It could not be asked.', error_code: 'unreachable' }
}

function ofEgress (error: EgressError): CallFailure {
  const { code } = error
  if (code === 'timeout' || code === 'too_large') return code
  if (code === 'address_refused' || code === 'invalid_address') return 'address_refused'
  const codes = codesOf(error)
  if (codes.some((one) => NO_HOST.test(one))) return 'no_such_host'
  return codes.some((one) => UNTRUSTED.test(one)) ? 'untrusted' : 'unreachable'
}

/** Why a response that is an error or a redirect does not count. */
export function failureWith (status: number): Failure {
  if (status >= 500 || status === 408) return { error: `The other side answered ${status}.`, error_code: 'server_error' }
  if (status >= 300 && status < 400) {
    return { error: `It redirects (${status}), which is not followed.`, error_code: 'redirected' }
  }
  if (status === 404) return { error: 'The other side has no record of it (404).', error_code: 'not_found' }
  if (status === 401 || status === 403) {
    return { error: `The other side does not accept the secret of the connection (${status}).`, error_code: 'denied' }
  }
  if (status === 429) {
    return { error: 'The other side gets too many requests (429). Try again later.', error_code: 'limited' }
  }
  return { error: `The other side refused it (${status}).`, error_code: 'refused' }
}

/** The codes of an error and of its causes. */
export function codesOf (error: unknown): string[] {
  const codes: string[] = []
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    codes.push(errorCode(at))
    if (at instanceof AggregateError) {
      codes.push(...at.errors.map(errorCode))
    }
  }
  return codes
}
