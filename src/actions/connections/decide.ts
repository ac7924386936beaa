import type { ConnectionDraft, ConnectionRecord } from '../../../schema/actions.ts'
import { readAddress } from '../../platform/net/address.ts'
import { invalid, Refusal, type FieldError } from '../../platform/errors.ts'
import { addressCode } from '../../platform/net/outside.ts'
import { withoutEnd } from '../../platform/text.ts'

/** Connections that an account may have. */
const MOST_CONNECTIONS = 50
/** Says why something cannot be sent to an address. */
export type CheckAddress = (what: string, address: string) => string | undefined

/** The settings of a connection, except its secret. */
type DecidedConnection = Pick<
  ConnectionRecord, 'name' | 'kind' | 'base_url' | 'auth' | 'auth_name' | 'token_url' | 'allowed_hosts'
>

/** Refuses with `limit_reached` if an account already has too many connections. */
export function demandRoom (count: number) {
  if (count < MOST_CONNECTIONS) return
  throw new Refusal('limit_reached', `An account may have ${MOST_CONNECTIONS} connections. Remove one that is not needed.`)
}

/**
 * A new connection, as requested. `hasSecret`: one is already stored for it. Refuses with VALIDATION_ERROR an address
 * that nothing may be sent to, and what does not go together.
 */
export function decideConnection (draft: ConnectionDraft, hasSecret: boolean, check: CheckAddress): DecidedConnection {
  const { name, kind = 'http', auth = 'none', secret } = draft
  const authName = draft.auth_name ?? null
  const tokenUrl = draft.token_url ?? null
  const baseHost = readAddress(draft.base_url)?.host ?? ''
  const hosts = draft.allowed_hosts ?? [baseHost]
  const needsName = auth === 'header' || auth === 'basic' || auth === 'oauth_client'
  const faults: FieldError[] = []
  const refuse = (field: string, message: string | undefined) => { if (message) faults.push({ field, message }) }
  const refuseAddress = (field: string, fault: string | undefined) => {
    if (fault) faults.push({ field, message: fault, code: addressCode(fault) })
  }
  refuseAddress('base_url', check('base_url', draft.base_url))
  if (tokenUrl !== null) refuseAddress('token_url', check('token_url', tokenUrl))
  if (baseHost && !hosts.map((host) => host.toLowerCase()).includes(baseHost)) {
    refuse('allowed_hosts', `allowed_hosts lacks ${baseHost}, the host of base_url.`)
  }
  for (const host of hosts) {
    if (!URL.canParse(`https://${host}`) || new URL(`https://${host}`).pathname !== '/') {
      refuse('allowed_hosts', `${host} is not a host: write shop.example.com, with :port if it has one.`)
    }
  }
  if (needsName && authName === null) refuse('auth_name', `auth_name is needed for ${auth}.`)
  if (auth === 'header' && authName !== null && !isHeader(authName)) refuse('auth_name', 'auth_name is not a header that can be set.')
  if (auth === 'basic' && authName?.includes(':')) refuse('auth_name', 'A user name must not have a colon.')
  if (auth === 'oauth_client' && tokenUrl === null) refuse('token_url', 'token_url is needed for oauth_client.')
  if (auth !== 'none' && secret === undefined && !hasSecret) refuse('secret', `secret is needed for ${auth}.`)
  if (faults.length > 0) throw invalid(...faults)
  return {
    name,
    kind,
    base_url: withoutEnd(draft.base_url, '/'),
    auth,
    auth_name: needsName ? authName : null,
    token_url: auth === 'oauth_client' ? tokenUrl : null,
    allowed_hosts: hosts.map((host) => host.toLowerCase())
  }
}

const isHeader = (name: string) =>
  /^[A-Za-z0-9-]+$/.test(name) && !/^(?:host|connection|content-.*|transfer-encoding|idempotency-key)$/i.test(name)

/**
 * A connection after a change. Refuses as `decideConnection` does, and if a stored secret would be sent to a host that
 * it was not entered for: permission to set an address must not reveal the secret.
 */
export function replacedConnection (
  kept: ConnectionRecord, draft: ConnectionDraft, check: CheckAddress
): DecidedConnection {
  const next = decideConnection(draft, kept.secret !== null, check)
  const before = new Set([...kept.allowed_hosts, hostOf(kept.token_url)])
  const others = [...next.allowed_hosts, hostOf(next.token_url)].filter((host) => host !== '' && !before.has(host))
  if (kept.secret !== null && draft.secret === undefined && next.auth !== 'none' && others.length > 0) {
    throw invalid({ field: 'secret', message: `Enter the secret again: it was not entered for ${others.join(', ')}.` })
  }
  return next
}

const hostOf = (address: string | null) => (address !== null && readAddress(address)?.host) || ''

/** Whether a connection may call this address: exactly its host and port. */
export function mayAsk ({ allowed_hosts: hosts }: Pick<ConnectionRecord, 'allowed_hosts'>, address: string): boolean {
  const url = readAddress(address)
  return url !== undefined && hosts.includes(url.host)
}
