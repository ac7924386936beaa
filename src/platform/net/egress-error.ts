/** Why a request outward failed. */
type EgressCode = 'invalid_address' | 'address_refused' | 'unreachable' | 'timeout' | 'too_large' |
  'too_many_redirects' | 'unsupported_content' | 'http_status'

/** What an EgressError says beside its sentence. */
interface Details { retryable?: boolean, status?: number | null, cause?: unknown }

/** A request outward failed. The message is a sentence for a person; `retryable` says whether trying later may help. */
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

/** The most bytes that the headers of one answer may have. */
export const MAX_HEADER_BYTES = 16 * 1024

export function invalidAddress (): EgressError {
  return new EgressError('invalid_address',
    'This is no address that can be read: use http:// or https:// and a host, without a user name.')
}

export function addressRefused (host: string): EgressError {
  return new EgressError('address_refused',
    `${host} is not on the public internet. Use a public address, or ask whoever runs this server to open that host.`)
}

export function tooLate (url: URL): EgressError {
  return new EgressError('timeout', `${url.host} took too long to answer. Try again later.`, { retryable: true })
}

export function tooLarge (url: URL, maxBytes: number): EgressError {
  return new EgressError('too_large', `${url.host} sent more than the ${maxBytes} bytes that are allowed here.`)
}

/** Failures that waiting does not mend: no such name, a certificate that does not fit. */
const LASTING = /^(ENOTFOUND|ENODATA|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/

/** Whatever a connection failed with, as an EgressError. */
export function explained (error: unknown, url: URL): EgressError {
  if (error instanceof EgressError) return error
  const code = String((error as { code?: unknown }).code ?? '')
  const failed = (sentence: string, retryable = false) =>
    new EgressError('unreachable', `${url.host} cannot be reached${sentence}`, { retryable, cause: error })
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return tooLate(url)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressError('too_large', `${url.host} sent headers larger than ${MAX_HEADER_BYTES} bytes.`, {
      cause: error
    })
  }
  if (code === 'ENOTFOUND') return failed(': there is no such host.')
  if (LASTING.test(code)) return failed(`: its connection cannot be trusted (${code}).`)
  return failed(', or its answer broke off. Try again later.', true)
}

/**
 * What sending failed with, for whoever sends again later: a name that is not found, or a certificate, may be set
 * right, so of faults of the way out only an address that may not be sent to is for good.
 */
export function lastingOnly (error: unknown): unknown {
  if (!(error instanceof EgressError)) return error
  const isFinal = error.code === 'address_refused' || error.code === 'invalid_address'
  return new EgressError(error.code, error.message, { retryable: !isFinal, status: error.status, cause: error })
}
