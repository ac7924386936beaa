import type { ConnectionRecord, Parameter, ShownRequest } from '../../../schema/actions.ts'
import type { Asked } from '../contract.ts'

/** A request before authentication is added. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | undefined
}

type Value = string | number | boolean

/** The request of an action. No value can break out of its path segment or header. */
export function requestOf ({ connection, action, values, key }: Omit<Asked, 'connection'> & {
  connection: Pick<ConnectionRecord, 'base_url'>
}): Request {
  const given = action.parameters.filter(({ name }) => Object.hasOwn(values, name))
  const of = (place: Parameter['in']) =>
    given.filter((parameter) => parameter.in === place).map(({ name }): [string, Value] => [name, values[name]!])
  const path = of('path').reduce(
    (whole, [name, value]) => whole.split(`{${name}}`).join(segment(String(value))), action.path
  )
  const query = new URLSearchParams(of('query').map(([name, value]) => [name, String(value)])).toString()
  const body = bodyOf(of('body'), action.method)
  return {
    method: action.method,
    url: `${connection.base_url}${path}${query && `?${query}`}`,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(of('header').map(([name, value]) => [name.toLowerCase(), oneLine(String(value))])),
      ...(action.effect === 'write' && { 'idempotency-key': key })
    },
    body
  }
}

/** One path segment: a value of only dots would name another one. */
const segment = (value: string) => /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%252E') : encodeURIComponent(value.toWellFormed())
const oneLine = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '?')

/** The values as JSON: `customer.email` is a field of an object. */
function bodyOf (values: Array<[string, Value]>, method: Request['method']): string | undefined {
  if (method === 'GET' || (values.length === 0 && method === 'DELETE')) return undefined
  return JSON.stringify(nested(values))
}

/** Values by names with dots as objects within objects. */
export function nested (values: Array<[string, Value]>): Record<string, unknown> {
  const whole: Record<string, unknown> = Object.create(null)
  for (const [name, value] of values) {
    const parts = name.split('.')
    const last = parts.pop()!
    let at = whole
    for (const part of parts) {
      const inner = at[part]
      at = (typeof inner === 'object' && inner !== null ? inner : at[part] = Object.create(null)) as typeof whole
    }
    at[last] = value
  }
  return whole
}

/** The authentication headers of a connection. `secret`: for `oauth_client` the token. */
export function proofOf (
  { auth, auth_name: name }: Pick<ConnectionRecord, 'auth' | 'auth_name'>, secret: string | null
): Record<string, string> {
  if (secret === null || auth === 'none') return {}
  if (auth === 'header') return { [name!.toLowerCase()]: secret }
  if (auth === 'basic') return { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}` }
  return { authorization: `Bearer ${secret}` }
}

const HIDDEN = '••••'
/** The prefix of a secret, by scheme; a key in its own header has none. */
const SCHEMES: Partial<Record<ConnectionRecord['auth'], string>> = { basic: 'Basic ', header: '' }

/** A request as people are shown it: secrets are dots. */
export function shownRequest (request: Request, connection: Pick<ConnectionRecord, 'auth' | 'auth_name'>): ShownRequest {
  const proof = Object.keys(proofOf(connection, 'x'))
  const scheme = SCHEMES[connection.auth] ?? 'Bearer '
  return {
    method: request.method,
    url: request.url,
    headers: { ...request.headers, ...Object.fromEntries(proof.map((name) => [name, `${scheme}${HIDDEN}`])) },
    body: request.body ?? null
  }
}
