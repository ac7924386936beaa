import type { Id } from '../../schema/common.ts'
import type { Push, PushSubscriptionDraft } from '../../schema/notifications.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Where browsers have themselves pushed to, one for each session. */
export interface PushStore {
  /** What is known of a session's browser. */
  get (user: Id, session: Id): Promise<Push>
  /**
   * From now on it is pushed to this browser, and to it by this session alone. Refuses with VALIDATION_ERROR an
   * address to which nothing may be sent and keys that are none, with `unavailable` where this server pushes nothing.
   */
  set (user: Id, session: Id, draft: PushSubscriptionDraft): Promise<Push>
  /** Nothing is pushed to it any more. */
  remove (user: Id, session: Id): Promise<Push>
  /** The push services of all who may answer in an account. */
  hosts (owner: Id): Promise<string[]>
}

/** What goes with an agent, a user or an account. */
export const notificationsKept: Keeps = {
  ways: ['push_subscriptions.user_id']
}
