import type { Id } from '../../schema/common.ts'
import type { Delivery, NewWebhook, Webhook, WebhookDraft, WebhookPatch } from '../../schema/webhooks.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** A webhook's target: its address, and its signing secrets, the newest first. */
export interface Signed { url: string, secrets: string[] }

/**
 * Where accounts' webhooks rest. Every method is one transaction; one that is missing, or somebody else's, is
 * `undefined`.
 */
export interface WebhookStore {
  /** All of an account, oldest first. */
  list (owner: Id): Promise<Webhook[]>
  get (owner: Id, id: Id): Promise<Webhook | undefined>
  /** Creates one with a secret. Refuses as `decideWebhook`; a repeat of `once` gets the first response. */
  add (owner: Id, draft: WebhookDraft, once?: IdempotencyKey): Promise<IdempotentResult<NewWebhook>>
  /** Refuses with VALIDATION_ERROR a private address. */
  change (owner: Id, id: Id, patch: WebhookPatch, match?: Match<Webhook>): Promise<Webhook | undefined>
  /** Rotates its secret; the previous one also signs for a day. */
  rotate (owner: Id, id: Id, once?: IdempotencyKey): Promise<IdempotentResult<NewWebhook> | undefined>
  remove (owner: Id, id: Id, match?: Match<Webhook>): Promise<boolean>
  /** Sends it a test event; returns the id of the delivery. */
  test (owner: Id, id: Id, once?: IdempotencyKey): Promise<IdempotentResult<Delivery['id']> | undefined>
  /** The target of one; undefined when it is deleted or switched off. */
  signed (owner: Id, id: Id): Promise<Signed | undefined>
}

/** What is deleted with an agent, a user or an account. */
export const webhooksKept: Keeps = {
  ways: ['webhooks.owner_id']
}
