import type { Id } from '../../schema/common.ts'
import type { NewIdentitySecret, WidgetKey, WidgetKeyDraft, WidgetKeyPatch } from '../../schema/widget.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Face } from './config.ts'
import type { KeySecrets } from './keys.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** A key as looked up for a visitor: its owner, the sites it may be used on, and the secrets to check with. */
export interface KnownKey { id: string, owner: Id, agent: Id, origins: readonly string[], secrets: KeySecrets }

/**
 * Store of widget keys. Every method is one transaction; an agent or key that is missing, or somebody else's, is
 * `undefined`.
 */
export interface WidgetStore {
  /** The keys of an agent, oldest first. */
  list (owner: Id, agent: Id): Promise<WidgetKey[] | undefined>
  /** Creates a key according to `decideKey`, and refuses what that refuses. */
  create (
    owner: Id, agent: Id, draft: WidgetKeyDraft, once?: IdempotencyKey
  ): Promise<IdempotentResult<WidgetKey> | undefined>
  update (
    owner: Id, agent: Id, key: string, patch: WidgetKeyPatch, match?: Match<WidgetKey>
  ): Promise<WidgetKey | undefined>
  /** Deletes a key; the tokens of its visitors are void at once. */
  remove (owner: Id, agent: Id, key: string, match?: Match<WidgetKey>): Promise<boolean>
  /** Creates a further secret for identities; it is only in the return value. */
  addSecret (
    owner: Id, agent: Id, key: string, once?: IdempotencyKey
  ): Promise<IdempotentResult<NewIdentitySecret> | undefined>
  removeSecret (owner: Id, agent: Id, key: string, secret: Id): Promise<boolean>
  /** What an agent's widget shows. */
  face (owner: Id, agent: Id): Promise<Face | undefined>
  /**
   * The key that a page names. Synchronous and cached: every visitor's request needs it, and every open stream twice a
   * second.
   */
  find (key: string): Promise<KnownKey | undefined>
  /** Whether any key may be used on pages of this origin. Synchronous and cached. */
  isKnownOrigin (origin: string): Promise<boolean>
}

/** What is deleted with an agent, a user or an account. */
export const widgetKept: Keeps = {
  ofAgent: [{ table: 'widget_keys', of: 'agent_id = ?' }]
}
