import { isIP } from 'node:net'
import type { ModelProviderDraft, ProviderKind } from '../../schema/models.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { isPublic, plainHost, readAddress } from '../platform/net/address.ts'
import { ANTHROPIC_URL, OPENAI_URL } from './offers.ts'
import { withoutEnd } from '../platform/text.ts'

/** Providers that an account may have. */
export const MOST_PROVIDERS = 20
const URLS: Record<ProviderKind, string | null> = {
  openai: OPENAI_URL, anthropic: ANTHROPIC_URL, 'openai-compatible': null
}

/**
 * The provider that an account adds, where it has so many already. Refuses with VALIDATION_ERROR an address that is
 * missing or private, with `limit_reached` one provider too many. Names are looked up when they are
 * asked, and refused then.
 */
export function decideProvider (
  { name, provider, url = URLS[provider] ?? undefined, key, models }: ModelProviderDraft, count: number
) {
  if (count >= MOST_PROVIDERS) {
    throw new Refusal(
      'limit_reached', `An account may have ${MOST_PROVIDERS} providers of models. Remove one that is not needed.`
    )
  }
  if (url === undefined) throw invalid({ field: 'url', message: 'url is required for an openai-compatible provider.' })
  const address = readAddress(url)
  const host = address && plainHost(address.hostname)
  if (!host) {
    throw invalid({
      field: 'url',
      message: 'url is no address that can be read: use https:// and a host, without a user name.'
    })
  }
  if (host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && !isPublic(host))) {
    throw invalid({
      field: 'url', message: 'url is not on the public internet. Models in a private network are set by the operator.'
    })
  }
  return { name, provider, url: withoutEnd(url, '/'), models, key_hint: key === undefined ? '' : key.slice(-4), key }
}
