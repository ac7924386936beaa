import type { Id } from '../../schema/common.ts'
import type { SavedReply, SavedReplyDraft, SavedReplyPatch } from '../../schema/replies.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Stores saved replies. `user`: the caller, who sees the team's and their own. */
export interface ReplyStore {
  /** Sorted by key. */
  list (owner: Id, user: Id): Promise<SavedReply[]>
  get (owner: Id, user: Id, reply: Id): Promise<SavedReply | undefined>
  /** Refuses with `taken` an existing key, with `limit_reached` one too many. */
  add (owner: Id, user: Id, draft: SavedReplyDraft, once?: IdempotencyKey): Promise<IdempotentResult<SavedReply>>
  /** Refuses with `taken` an existing key. Undefined if there is no such reply. */
  change (
    owner: Id, user: Id, reply: Id, patch: SavedReplyPatch, match?: Match<SavedReply>
  ): Promise<SavedReply | undefined>
  /** False if there is none. */
  remove (owner: Id, user: Id, reply: Id, match?: Match<SavedReply>): Promise<boolean>
}

/** What is deleted with an agent, a user or an account. */
export const repliesKept: Keeps = {
  ways: ['saved_replies.owner_id', 'saved_replies.user_id']
}
