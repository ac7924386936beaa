import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import { MOST_IDENTITY_SECRETS, type WidgetKey, type WidgetKeyDraft, type WidgetKeyPatch } from '../../schema/widget.ts'
import { Refusal, invalid } from '../platform/errors.ts'

/** Maximum number of keys per agent. */
const MOST_KEYS = 20

/** The parts of a key that are never shown: the secrets that sign visitors' tokens and identities. */
export interface KeySecrets { signing: string, identity: Array<{ id: Id, secret: string }> }

/** A new key as requested; `there`: how many the agent has. Refuses with `limit_reached` one too many. */
export function decideKey (
  { name = 'Website', origins = [] }: WidgetKeyDraft, there: number
): { key: Pick<WidgetKey, 'id' | 'name' | 'origins' | 'identity_secrets'>, secrets: KeySecrets } {
  if (there >= MOST_KEYS) {
    throw new Refusal(
      'limit_reached',
      `An agent may have ${MOST_KEYS} widget keys. Delete one that is not needed; one key can be used on several sites.`
    )
  }
  return {
    key: {
      id: `agw_${randomBytes(16).toString('base64url')}`, name, origins: exactOrigins(origins), identity_secrets: []
    },
    secrets: { signing: randomBytes(32).toString('base64url'), identity: [] }
  }
}

/** A key after an update. */
export function changedKey<T extends Pick<WidgetKey, 'name' | 'origins'>> (
  key: T, { name = key.name, origins }: WidgetKeyPatch
): T {
  return { ...key, name, origins: origins ? exactOrigins(origins) : key.origins }
}

/** A further secret for identities. Refuses with `limit_reached` a third one. */
export function withIdentitySecret<T extends Pick<WidgetKey, 'identity_secrets'>> (
  key: T, secrets: KeySecrets, at: string
): { key: T, secrets: KeySecrets, made: { id: Id, created_at: string, secret: string } } {
  if (key.identity_secrets.length >= MOST_IDENTITY_SECRETS) {
    throw new Refusal(
      'limit_reached',
      'There are two secrets already, the old one and the new one. Delete the one that your server no longer signs with, then make another.'
    )
  }
  const id = Math.max(0, ...key.identity_secrets.map((kept) => kept.id)) + 1
  const secret = randomBytes(32).toString('base64url')
  return {
    key: { ...key, identity_secrets: [...key.identity_secrets, { id, created_at: at }] },
    secrets: { ...secrets, identity: [...secrets.identity, { id, secret }] },
    made: { id, created_at: at, secret }
  }
}

/** The same without one of its secrets; undefined when it has no such secret. */
export function withoutIdentitySecret<T extends Pick<WidgetKey, 'identity_secrets'>> (
  key: T, secrets: KeySecrets, id: Id
): { key: T, secrets: KeySecrets } | undefined {
  if (!key.identity_secrets.some((kept) => kept.id === id)) return undefined
  return {
    key: { ...key, identity_secrets: key.identity_secrets.filter((kept) => kept.id !== id) },
    secrets: { ...secrets, identity: secrets.identity.filter((kept) => kept.id !== id) }
  }
}

/** Whether this is an origin and nothing else, so that it is safe in a policy or a list of origins. */
export const isOrigin = (text: string): boolean => /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(text)

/** Origins as browsers spell them, each once. Refuses anything that is not exactly an origin. */
function exactOrigins (origins: readonly string[]): string[] {
  const exact = origins.map((text, i) => {
    const url = URL.parse(text)
    if (url && url.href === `${url.origin}/` && isOrigin(url.origin)) return url.origin
    throw invalid({
      field: `origins[${i}]`,
      message: `origins[${i}] must be only the origin of a site, such as https://shop.example.com: no path, no wildcard.`,
      rule: { code: 'wrong_form', example: 'https://shop.example.com' }
    })
  })
  return [...new Set(exact)]
}
