import type { Id } from '../../schema/common.ts'
import type { SavedReply, SavedReplyDraft, SavedReplyPatch } from '../../schema/replies.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Where answers rest that are kept to be used again. `user`: who asks, who sees the team's and their own. */
export interface ReplyStore {
  /** By their keys, in the order of the alphabet. */
  list (owner: Id, user: Id): Promise<SavedReply[]>
  get (owner: Id, user: Id, reply: Id): Promise<SavedReply | undefined>
  /** Refuses with `taken` a key that there is, with `limit_reached` one too many. */
  add (owner: Id, user: Id, draft: SavedReplyDraft, once?: Once): Promise<Outcome<SavedReply>>
  /** Refuses with `taken` a key that there is. Undefined where there is none. */
  change (
    owner: Id, user: Id, reply: Id, patch: SavedReplyPatch, match?: Match<SavedReply>
  ): Promise<SavedReply | undefined>
  /** False where there is none. */
  remove (owner: Id, user: Id, reply: Id, match?: Match<SavedReply>): Promise<boolean>
}

/** What goes with an agent, a user or an account. */
export const repliesKept: Keeps = {
  ways: ['saved_replies.owner_id', 'saved_replies.user_id']
}
