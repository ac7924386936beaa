/** One field that was refused, by its name in the request. */
export interface FieldError { field: string, message: string }

/** An unsuccessful response. `message` says what to do next. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** Why, in one word of `openapi.json`: `not_found`, `taken`, `rate_limited` … */
  readonly code: string
  /** Additional details, such as `missing`. */
  readonly fields: Record<string, unknown>
  /** Each field that was refused, if the request was malformed. */
  readonly details: readonly FieldError[]
  /** Seconds to wait before the next try, where the server says so. */
  readonly retryAfter: number | null

  constructor (message: string, said: Pick<ApiError, 'status' | 'code' | 'fields' | 'details' | 'retryAfter'>) {
    super(message)
    this.status = said.status
    this.code = said.code
    this.fields = said.fields
    this.details = said.details
    this.retryAfter = said.retryAfter
  }
}

/** The error for an unsuccessful response. */
export async function errorOf (response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const said = parsed(text)?.['error'] as Record<string, unknown> | undefined
  return new ApiError(
    typeof said?.['message'] === 'string' ? said['message'] : `The server answered ${response.status}.`,
    {
      status: response.status,
      code: typeof said?.['code'] === 'string' ? said['code'] : `http_${response.status}`,
      fields: (said?.['fields'] ?? {}) as Record<string, unknown>,
      details: (said?.['details'] ?? []) as FieldError[],
      retryAfter: secondsIn(response.headers.get('retry-after'))
    }
  )
}

/** `Retry-After`, which is a number of seconds or a date. */
export function secondsIn (header: string | null): number | null {
  if (header === null || header.trim() === '') return null
  const seconds = Number(header)
  const until = Number.isFinite(seconds) ? seconds : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(until) ? null : Math.max(0, until)
}

function parsed (text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
