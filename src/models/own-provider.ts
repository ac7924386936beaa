import { isIP } from 'node:net'
import type { ModelProviderDraft, ProviderKind } from '../../schema/models.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { isPublic, plainHost, readAddress } from '../platform/net/address.ts'
import { ANTHROPIC_URL, OPENAI_URL } from './offers.ts'
import { withoutEnd } from '../platform/text.ts'

/** Providers that an account may have. */
const MOST_PROVIDERS = 20
/** What an operator sets for a model that is not on the public internet. */
const OWN_NETWORK = 'AGENTHALL_MODEL_URL'
const URLS: Record<ProviderKind, string | null> = {
  openai: OPENAI_URL, anthropic: ANTHROPIC_URL, 'openai-compatible': null
}

/**
 * The provider that an account adds, given how many it already has. Refuses with VALIDATION_ERROR an address that is
 * missing or private, with `limit_reached` one provider too many. Host names are resolved, and refused, at request
 * time.
 */
export function decideProvider (
  { name, provider, url = URLS[provider] ?? undefined, key, models }: ModelProviderDraft, count: number
) {
  if (count >= MOST_PROVIDERS) {
    throw new Refusal(
      'limit_reached', `An account may have ${MOST_PROVIDERS} model providers. Remove one that is not needed.`
    )
  }
  if (url === undefined) throw invalid({ field: 'url', code: 'required', message: 'url is required for an openai-compatible provider.' })
  const address = readAddress(url)
  const host = address && plainHost(address.hostname)
  if (!host) {
    throw invalid({
      field: 'url',
      code: 'address_unreadable',
      message: 'url is not a valid address: use https:// and a host, without a user name.'
    })
  }
  if (address.protocol === 'http:') {
    throw invalid({
      field: 'url',
      code: 'address_open',
      message: `url begins with http://, so the key and what visitors write could be read in transit: use https://. A model in a network of your own is set by the operator (${OWN_NETWORK}).`
    })
  }
  if (host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && !isPublic(host))) {
    throw invalid({
      field: 'url',
      code: 'address_private',
      message: `url is not on the public internet. A model in a network of your own is set by the operator (${OWN_NETWORK}).`
    })
  }
  return { name, provider, url: withoutEnd(url, '/'), models, key_hint: hintOf(key), key }
}

const SHORTEST_HINTED = 12

/** The end of a key, to tell keys apart; of a short one it would be most of it. */
const hintOf = (key: string | undefined) => key === undefined || key.length < SHORTEST_HINTED ? '' : key.slice(-4)
