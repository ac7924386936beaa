import type { Id } from '../../schema/common.ts'
import type { NewIdentitySecret, WidgetKey, WidgetKeyDraft, WidgetKeyPatch } from '../../schema/widget.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Face } from './config.ts'
import type { KeySecrets } from './keys.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** A key as it is looked up for a visitor: whose it is, where it may stand, and what it is checked with. */
export interface KnownKey { id: string, owner: Id, agent: Id, origins: readonly string[], secrets: KeySecrets }

/**
 * Where the keys of widgets rest. Every method is one transaction; an agent or key that is missing, or somebody else's,
 * is `undefined`.
 */
export interface WidgetStore {
  /** The keys of an agent, oldest first. */
  list (owner: Id, agent: Id): Promise<WidgetKey[] | undefined>
  /** Makes a key, as `decideKey` says, and refuses what that refuses. */
  create (owner: Id, agent: Id, draft: WidgetKeyDraft, once?: Once): Promise<Outcome<WidgetKey> | undefined>
  update (
    owner: Id, agent: Id, key: string, patch: WidgetKeyPatch, match?: Match<WidgetKey>
  ): Promise<WidgetKey | undefined>
  /** Deletes a key; the tokens of its visitors are void at once. */
  remove (owner: Id, agent: Id, key: string, match?: Match<WidgetKey>): Promise<boolean>
  /** Makes a further secret for identities; it is in the answer and nowhere else. */
  addSecret (owner: Id, agent: Id, key: string, once?: Once): Promise<Outcome<NewIdentitySecret> | undefined>
  removeSecret (owner: Id, agent: Id, key: string, secret: Id): Promise<boolean>
  /** What an agent's widget shows. */
  face (owner: Id, agent: Id): Promise<Face | undefined>
  /**
   * The key that a page names. Synchronous and remembered: every request of a visitor asks for it, and every open
   * stream twice a second.
   */
  find (key: string): Promise<KnownKey | undefined>
  /** Whether any key may stand on pages of this origin. Synchronous and remembered. */
  isKnownOrigin (origin: string): Promise<boolean>
}

/** What goes with an agent, a user or an account. */
export const widgetKept: Keeps = {
  ofAgent: [{ table: 'widget_keys', of: 'agent_id = ?' }]
}
