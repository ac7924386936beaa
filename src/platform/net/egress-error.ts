import { errorCode } from '../errors.ts'

/** Why an outgoing request failed. */
type EgressCode = 'invalid_address' | 'address_refused' | 'unreachable' | 'timeout' | 'too_large' |
  'too_many_redirects' | 'unsupported_content' | 'http_status'

/** What an EgressError carries besides its sentence. */
interface Details { retryable?: boolean, status?: number | null, cause?: unknown }

/** An outgoing request failed. The message is a sentence for a person; `retryable`: whether trying later may help. */
export class EgressError extends Error {
  readonly code: EgressCode
  readonly retryable: boolean
  /** The status of the answer, for `http_status`. */
  readonly status: number | null

  constructor (code: EgressCode, message: string, { retryable = false, status = null, cause }: Details = {}) {
    super(message, { cause })
    this.name = 'EgressError'
    this.code = code
    this.retryable = retryable
    this.status = status
  }
}

/** Maximum size of the headers of one response, in bytes. */
export const MAX_HEADER_BYTES = 16 * 1024

export function invalidAddress (): EgressError {
  return new EgressError('invalid_address',
    'This is not a valid address: use http:// or https:// and a host, without a user name.')
}

export function addressRefused (host: string): EgressError {
  return new EgressError('address_refused',
    `${host} is not on the public internet. Use a public address, or ask the operator to open that host.`)
}

export function tooLate (url: URL): EgressError {
  return new EgressError('timeout', `${url.host} took too long to answer. Try again later.`, { retryable: true })
}

export function tooLarge (url: URL, maxBytes: number): EgressError {
  return new EgressError('too_large', `${url.host} sent more than the ${maxBytes} bytes that are allowed here.`)
}

/** What is wrong with a secure connection, by the beginning of the code that says so. */
const DISTRUSTED: ReadonlyArray<[RegExp, string]> = [
  [/^CERT_HAS_EXPIRED/, ': its connection cannot be trusted, since its certificate has expired.'],
  [/^ERR_TLS_CERT_ALTNAME/, ': its connection cannot be trusted, since its certificate is for another name.'],
  [/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/, ': its connection cannot be trusted, since no known authority vouches for it.'],
  [/^ERR_SSL_/, ' by https://. If it has only http://, use that.'],
  [/^(CERT_|ERR_TLS_)/, ': its connection cannot be trusted.']
]

/** Any failure of a connection as an EgressError. */
export function explained (error: unknown, url: URL): EgressError {
  if (error instanceof EgressError) return error
  const code = errorCode(error)
  const failed = (sentence: string, retryable = false) =>
    new EgressError('unreachable', `${url.host} cannot be reached${sentence}`, { retryable, cause: error })
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return tooLate(url)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressError('too_large', `${url.host} sent headers larger than ${MAX_HEADER_BYTES} bytes.`, {
      cause: error
    })
  }
  if (code === 'ENOTFOUND' || code === 'ENODATA') return failed(': there is no such host.')
  const distrust = DISTRUSTED.find(([begins]) => begins.test(code))
  if (distrust) return failed(distrust[1])
  return failed(', or its answer broke off. Try again later.', true)
}

/**
 * The error of a failed send, for callers that retry later: a missing name or a bad certificate may be corrected, so of
 * all egress errors only a refused address is permanent.
 */
export function lastingOnly (error: unknown): unknown {
  if (!(error instanceof EgressError)) return error
  const isFinal = error.code === 'address_refused' || error.code === 'invalid_address'
  return new EgressError(error.code, error.message, { retryable: !isFinal, status: error.status, cause: error })
}
