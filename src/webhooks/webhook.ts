import { createHmac, randomBytes } from 'node:crypto'
import type { WebhookDraft, WebhookPatch } from '../../schema/webhooks.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { addressCode } from '../platform/net/outside.ts'

/** Maximum webhooks of an account. */
const MOST_WEBHOOKS = 20
/** How long the previous secret also signs. */
export const BOTH_SIGN_MICROS = 24 * 3_600_000_000

/** Returns why something cannot be sent to an address. */
export type CheckAddress = (what: string, address: string) => string | undefined

/**
 * A new webhook, given the account's current number. Refuses with `limit_reached` one too many, with VALIDATION_ERROR a
 * private address.
 */
export function decideWebhook (
  { url, events, description = '', is_active: isActive = true }: WebhookDraft, count: number, check: CheckAddress
) {
  if (count >= MOST_WEBHOOKS) {
    throw new Refusal('limit_reached', `An account may have ${MOST_WEBHOOKS} webhooks. Remove one that is not needed.`)
  }
  return { ...changedWebhook({ url }, check), url, events, description, is_active: isActive }
}

/** What changes. Refuses with VALIDATION_ERROR a private address. */
export function changedWebhook (patch: WebhookPatch, check: CheckAddress): WebhookPatch {
  const fault = patch.url === undefined ? undefined : check('url', patch.url)
  if (fault) throw invalid({ field: 'url', message: fault, code: addressCode(fault) })
  return patch
}

/** A new secret, in the form of Standard Webhooks. */
export const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`

/** The headers that prove where a body comes from, as Standard Webhooks has them. `at`: seconds since 1970. */
export function signature (id: string, at: number, body: string, secrets: readonly string[]): Record<string, string> {
  const signed = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signed.join(' ') }
}
