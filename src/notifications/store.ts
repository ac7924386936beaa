import type { Id } from '../../schema/common.ts'
import type { Push, PushSubscriptionDraft } from '../../schema/notifications.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Push subscriptions of browsers, one for each session. */
export interface PushStore {
  /** The subscription of a session's browser. */
  get (user: Id, session: Id): Promise<Push>
  /**
   * Subscribes this browser, for this session alone. Refuses with VALIDATION_ERROR an address to which nothing may be
   * sent and invalid keys, with `unavailable` if this server does not push.
   */
  set (user: Id, session: Id, draft: PushSubscriptionDraft): Promise<Push>
  /** Unsubscribes it. */
  remove (user: Id, session: Id): Promise<Push>
  /** The push services of all who may answer in an account. */
  hosts (owner: Id): Promise<string[]>
}

/** What is deleted with an agent, a user or an account. */
export const notificationsKept: Keeps = {
  ways: ['push_subscriptions.user_id']
}
