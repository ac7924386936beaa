import { Refusal } from '../../platform/errors.ts'
import { readAddress } from '../../platform/net/address.ts'
import { EgressError, type Egress } from '../../platform/net/egress.ts'
import type { Clock } from '../../platform/clock.ts'
import { isObject } from '../protocol.ts'

/** An assistant's own description. */
export interface Client { client: string, name: string, host: string, redirectUris: readonly string[] }

/** Fetches an assistant's description. Refuses with `assistant_unknown` if it cannot be authorised. */
export type ClientOf = (client: string) => Promise<Client>

const [MOST_BYTES, FETCH_MS, KEPT_MS, MOST_KEPT] = [16_384, 8000, 600_000, 500]
const [LONGEST_NAME, MOST_ADDRESSES] = [80, 50]

const unknown = (why: string, cause?: unknown) =>
  new Refusal('assistant_unknown', `It is not known who this assistant is: ${why}`, { cause })

/**
 * Fetches assistants' descriptions from the addresses that are their ids (Client ID Metadata Documents), through the
 * common egress. Nobody registers here. `mayBePlain`: whether an address may lack https, as the operator has opened its
 * host.
 */
export function clientsOver ({ out, clock, mayBePlain }: {
  out: Pick<Egress, 'fetch'>, clock: Clock, mayBePlain: (address: string) => boolean
}): ClientOf {
  const kept = new Map<string, { found: Client, until: number }>()

  async function read (client: string): Promise<Client> {
    const { status, contentType, bytes } = await out.fetch(client, {
      headers: { accept: 'application/json' },
      maxBytes: MOST_BYTES,
      redirect: 'manual',
      anyStatus: true,
      signal: AbortSignal.timeout(FETCH_MS)
    }).catch((cause: unknown) => {
      throw unknown(cause instanceof EgressError ? cause.message : 'its address did not answer in time.', cause)
    })
    if (status !== 200) throw unknown(`its address answered ${status}.`)
    if (!/[/+]json$/.test(contentType)) throw unknown('its address does not answer with JSON.')
    return clientIn(client, Buffer.from(bytes).toString())
  }

  return async (client) => {
    const why = wrongId(client, mayBePlain)
    if (why) throw unknown(why)
    const known = kept.get(client)
    if (known && known.until > clock.monotonic()) return known.found
    const found = await read(client)
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(client, { found, until: clock.monotonic() + KEPT_MS })
    return found
  }
}

/** Why an address is no valid client id; undefined if it is valid. */
export function wrongId (client: string, mayBePlain: (address: string) => boolean): string | undefined {
  const url = readAddress(client)
  if (!url || url.href !== client || client.includes('#')) return 'its id has to be an address, written as browsers write it.'
  if (url.protocol !== 'https:' && !mayBePlain(client)) return 'its id has to be an address with https.'
  return url.pathname === '/' ? 'its id has to be an address with a path.' : undefined
}

/** A client's document, validated. Refuses one of another client, or that needs unsupported features. */
export function clientIn (client: string, text: string): Client {
  const said = parsed(text)
  if (said['client_id'] !== client) throw unknown('its address describes another one.')
  const { client_name: name, redirect_uris: uris, token_endpoint_auth_method: method = 'none' } = said
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_ADDRESSES || !uris.every((one) => typeof one === 'string')) {
    throw unknown('it does not say where it is told what came of it (redirect_uris).')
  }
  if (method !== 'none') throw unknown('its way to authenticate is not supported (token_endpoint_auth_method).')
  const { host } = new URL(client)
  return { client, name: nameIn(name) || host, host, redirectUris: uris }
}

function parsed (text: string): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(text)
    return isObject(said) ? said : {}
  } catch {
    return {}
  }
}

/** One line without invisible or direction-changing characters: it is shown beside its origin. */
function nameIn (name: unknown): string {
  if (typeof name !== 'string') return ''
  return name.toWellFormed().replace(/[\p{C}\s]+/gu, ' ').trim().slice(0, LONGEST_NAME).toWellFormed().trim()
}
