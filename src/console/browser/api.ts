import { signal } from '@preact/signals'
import { complaintOf, type Detail } from './asking/complaints.ts'

/** Why the server said no, or that it could not be reached (`status` 0). */
export interface Refused extends Error {
  status: number
  code: string
  /** What is wrong with which field, by the path of the field, in the reader's language. */
  details: Detail[]
  /** Facts beside the sentence, as `error.fields` has them. */
  fields: Record<string, unknown>
}

/** An answer: what it holds, what came beside it, and its ETag. */
export interface Answer<T> { data: T, message: string, etag: string | undefined, rest: Record<string, unknown> }

/** What a request may carry. */
export interface Asking {
  query?: Record<string, string | number | undefined>
  body?: unknown
  /** The ETag that a change is based on. */
  ifMatch?: string
  signal?: AbortSignal
  /** What kind of answer is wanted; JSON unless said. */
  accept?: string
  /** Treats "not signed in" as an answer: nobody is asked to sign in. */
  asIs?: boolean
}

const PATIENCE_MS = 30_000

/** No timeout: for streams of events. */
export const STREAM = 'text/event-stream'

/** Whether the server was there when it was last asked. */
export const isReachable = signal(true)

/** Called when the session is over; resolves to whether somebody has signed in again. */
let signInAgain: (() => Promise<boolean>) | undefined

export function onSessionOver (ask: typeof signInAgain) {
  signInAgain = ask
}

/** A refusal with this message; `status` 0: the server could not be reached. */
export function refusedWith (status: number, error: Partial<Refused> & { message?: string } = {}): Refused {
  const { message = '', code = status === 0 ? 'unreachable' : '', details = [], fields = {} } = error
  return Object.assign(new Error(message), { status, code, details, fields })
}

/** Whether something caught is a refusal, or that the server was away. */
export function isRefused (error: unknown): error is Refused {
  return error instanceof Error && 'status' in error
}

/** The address of a route with its query. */
export function addressOf (route: string, query: Asking['query'] = {}): string {
  const params = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]]
    )
  )
  return `/v1${route}${params.size > 0 ? `?${params}` : ''}`
}

async function send (
  method: string, route: string, { query, body, ifMatch, signal: cancel, accept = 'application/json' }: Asking
): Promise<Response> {
  const isForm = body instanceof FormData
  const signals = [
    ...(cancel ? [cancel] : []), ...(isForm || accept === STREAM ? [] : [AbortSignal.timeout(PATIENCE_MS)])
  ]
  const answer = await fetch(addressOf(route, query), {
    method,
    // Browsers may cache a widget's appearance for a while; users who have just changed it want to see it.
    cache: 'no-cache',
    headers: {
      accept,
      // So that what is wrong with a field is said in the reader's language.
      'agenthall-details': 'rules',
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...(ifMatch && { 'if-match': ifMatch })
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) })
  }).catch(brokenOff(cancel))
  isReachable.value = true
  return answer
}

/** What a lost connection is thrown as, whether before or in the middle of an answer. */
const brokenOff = (cancel: AbortSignal | undefined) => (error: Error): never => {
  if (cancel?.aborted) throw error
  isReachable.value = false
  throw refusedWith(0)
}

/**
 * Sends a request and returns the raw answer. Throws refusals; if the session has ended, it asks to sign in on top of
 * the current page and then continues, so that nothing typed is lost.
 */
async function open (method: string, route: string, asking: Asking = {}): Promise<Response> {
  let answer = await send(method, route, asking)
  if (answer.status === 401 && !asking.asIs && signInAgain && await signInAgain()) {
    answer = await send(method, route, asking)
  }
  if (!answer.ok) throw refusedOf(answer.status, await answer.text().catch(brokenOff(asking.signal)))
  return answer
}

/** The refusal for a response of the server. */
export function refusedOf (status: number, text: string): Refused {
  const { details, ...error } = text.startsWith('{') ? (JSON.parse(text) as { error: Refused }).error : {} as Partial<Refused>
  return refusedWith(status, {
    ...error, ...(details && { details: details.map((one) => ({ ...one, message: complaintOf(one) })) })
  })
}

async function ask<T> (method: string, route: string, asking: Asking = {}): Promise<Answer<T>> {
  const answer = await open(method, route, asking)
  const text = await answer.text().catch(brokenOff(asking.signal))
  const told = text.startsWith('{') ? JSON.parse(text) as Record<string, unknown> : {}
  const { data, message, status: _status, ...rest } = told
  return { data: data as T, message: String(message ?? ''), etag: answer.headers.get('etag') ?? undefined, rest }
}

/** The management interface, as the session of this browser may use it. Routes are named without `/v1`. */
export const api = {
  get: async <T>(route: string, query?: Asking['query'], more: Asking = {}) =>
    await ask<T>('GET', route, { ...more, query }),
  post: async <T>(route: string, body: unknown = {}, more: Asking = {}) =>
    await ask<T>('POST', route, { ...more, body }),
  put: async <T>(route: string, body: unknown, more: Asking = {}) => await ask<T>('PUT', route, { ...more, body }),
  patch: async <T>(route: string, body: unknown, more: Asking = {}) => await ask<T>('PATCH', route, { ...more, body }),
  delete: async <T>(route: string, more: Asking = {}) => await ask<T>('DELETE', route, more),
  /** For answers that are not JSON: a text, or a stream of events. */
  open
}
