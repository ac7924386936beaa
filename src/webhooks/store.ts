import type { Id } from '../../schema/common.ts'
import type { Delivery, NewWebhook, Webhook, WebhookDraft, WebhookPatch } from '../../schema/webhooks.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** What a webhook is sent with: where to, and the secrets that sign, the newest first. */
export interface Signed { url: string, secrets: string[] }

/**
 * Where accounts' webhooks rest. Every method is one transaction; one that is missing, or somebody else's, is
 * `undefined`.
 */
export interface WebhookStore {
  /** All of an account, oldest first. */
  list (owner: Id): Promise<Webhook[]>
  get (owner: Id, id: Id): Promise<Webhook | undefined>
  /** Makes one with a secret. Refuses what `decideWebhook` does; a repeat of `once` is answered with the first one. */
  add (owner: Id, draft: WebhookDraft, once?: Once): Promise<Outcome<NewWebhook>>
  /** Refuses with VALIDATION_ERROR a private address. */
  change (owner: Id, id: Id, patch: WebhookPatch, match?: Match<Webhook>): Promise<Webhook | undefined>
  /** Gives it a new secret; the one before signs too for a day. */
  rotate (owner: Id, id: Id, once?: Once): Promise<Outcome<NewWebhook> | undefined>
  remove (owner: Id, id: Id, match?: Match<Webhook>): Promise<boolean>
  /** Sends it an event that says nothing; the id of the delivery. */
  test (owner: Id, id: Id, once?: Once): Promise<Outcome<Delivery['id']> | undefined>
  /** What sending to one needs; undefined when it is gone or switched off. */
  signed (owner: Id, id: Id): Promise<Signed | undefined>
}

/** What goes with an agent, a user or an account. */
export const webhooksKept: Keeps = {
  ways: ['webhooks.owner_id']
}
