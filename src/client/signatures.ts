import type { webhooks } from '../../build/client/openapi.d.ts'

/** The payload of a webhook, distinguished by `type`. */
export type WebhookEvent = {
  [Name in keyof webhooks]: webhooks[Name] extends {
    post: { requestBody: { content: { 'application/json': infer Event } } }
  } ? Event : never
}[keyof webhooks]

/** A request that is not from the server with the given secret, or incomplete, or too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

const TOLERANCE_SECONDS = 300
const encoder = new TextEncoder()

type HeaderSource = { get (name: string): string | null } | Record<string, string | readonly string[] | undefined>

/**
 * Verifies that a webhook's request comes from your server, and parses it. Throws `WebhookError` if it does not.
 * `body`: the raw bytes, before any parsing; `headers`: those of Fetch or of Node; `secret`: `whsec_…`, one or, during
 * rotation, several. Follows Standard Webhooks: https://www.standardwebhooks.com
 */
export async function verifyWebhook (
  body: string | Uint8Array, headers: HeaderSource, secret: string | readonly string[],
  { now = Date.now(), toleranceSeconds = TOLERANCE_SECONDS }: { now?: number, toleranceSeconds?: number } = {}
): Promise<WebhookEvent> {
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = header(headers, name)
    if (value === null) throw new WebhookError(`The header ${name} is missing.`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,15}$/.test(at) || Math.abs(now / 1000 - Number(at)) > toleranceSeconds) {
    throw new WebhookError(`It was sent more than ${toleranceSeconds} seconds ago, or the clocks differ.`)
  }
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const front = encoder.encode(`${id}.${at}.`)
  const signed = new Uint8Array(front.length + bytes.length)
  signed.set(front)
  signed.set(bytes, front.length)
  for (const one of [secret].flat() as string[]) {
    const key = await keyOf(decoded(one.replace(/^whsec_/, '')), 'verify')
    for (const signature of signatures.split(' ')) {
      if (!signature.startsWith('v1,')) continue
      const given = decoded(signature.slice(3))
      if (given.length > 0 && await crypto.subtle.verify('HMAC', key, given, signed)) {
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
      }
    }
  }
  throw new WebhookError('No signature fits: the secret is another one, or the body was changed on its way.')
}

/** Who a visitor of your site is. */
export interface SignedVisitor {
  /** Your own identifier of the visitor. */
  id: string
  email?: string
  name?: string
}

/**
 * Signs a visitor's identity, for `Agenthall('identify', { token })` on your page. On your server only: the secret must
 * never be on a page. `key`: the widget's key, `agw_…`; `secret`: one of its identity secrets. Valid for an hour unless
 * `seconds` (86,400 at most) says otherwise.
 */
export async function signVisitor (
  { id, email, name }: SignedVisitor,
  { key, secret, seconds = 3600, now = Date.now() }: { key: string, secret: string, seconds?: number, now?: number }
): Promise<string> {
  const part = (value: object) => encoded(encoder.encode(JSON.stringify(value)))
  const iat = Math.floor(now / 1000)
  const claims = { sub: id, aud: key, iat, exp: iat + seconds, email, name }
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  const signature = await crypto.subtle.sign('HMAC', await keyOf(encoder.encode(secret), 'sign'), encoder.encode(text))
  return `${text}.${encoded(new Uint8Array(signature))}`
}

function header (headers: HeaderSource, name: string): string | null {
  if (typeof headers['get'] === 'function') return (headers as Headers).get(name)
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return ([found].flat() as Array<string | undefined>)[0] ?? null
}

const keyOf = (secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use])

function decoded (base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

const encoded = (bytes: Uint8Array) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
