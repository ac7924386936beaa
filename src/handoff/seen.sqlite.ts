import type { Id } from '../../schema/common.ts'
import type { Seen } from '../../schema/handoff.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { inboxOf, topicOf } from '../conversations/index.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Notifier } from '../platform/work/notifier.ts'

/** What members have seen of conversations, and what they have not. */
export interface SeenStore {
  /**
   * Somebody has seen a conversation up to a message. A mark never goes back, and never beyond the newest message.
   * Undefined where there is no such conversation.
   */
  mark (owner: Id, conversation: string, user: Id, message: number): Promise<Seen | undefined>
  /** Up to where somebody has seen a conversation, 0 where they have not. Undefined where there is no such one. */
  of (owner: Id, conversation: string, user: Id): Promise<Seen | undefined>
  /**
   * The conversations that somebody holds, in which the visitor waits for a reply and something is newer than their
   * mark; the newest 100 at most.
   */
  unread (owner: Id, user: Id): Promise<string[]>
  /** For those who watch an account: each call of the answer gives the marks that were set since the one before. */
  watch (owner: Id): () => Seen[]
}

/** A mark as it is told. `n` counts up. */
interface Told { n: number, owner: Id, seen: Seen }

/** Remembered at most: watchers are woken at once. */
const REMEMBERED = 200
/** Conversations listed as unread at most. */
const LISTED = 100

/** See SeenStore. Marks are kept; that one was set is told to those who watch, and kept nowhere. */
export function sqliteSeenStore (
  { db, notifier }: { db: Database, notifier: Pick<Notifier, 'notify'> }
): SeenStore {
  const conversationOf = db.objects<[string, Id], { number: number, messages: number }>(
    `select number, messages from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const markOf = db.column<[number, Id], number>('select message from seen_marks where conversation = ? and user_id = ?')
  const put = db.objects(
    'insert into seen_marks (conversation, user_id, message) values (?, ?, ?) on conflict (conversation, user_id) do update set message = excluded.message'
  )
  const unreadOf = db.column<[Id, Id, Id, number], string>(`
      select id from conversations
      where owner_id = ? and handled_by = 'person' and person = ? and cast(course ->> 'waits' as bigint) > 0
        and messages > coalesce(
          (select message from seen_marks where conversation = conversations.number and user_id = ?), 0
        )
        and ${OF_KEPT_AGENT}
      order by number desc limit ?
    `)
  let recent: Told[] = []
  let n = 0

  return {
    async mark (owner, conversation, user, message) {
      const kept = await db.atomically(function * () {
        const found = yield * conversationOf.get(conversation, owner)
        if (!found) return undefined
        const before = (yield * markOf.get(found.number, user)) ?? 0
        const after = markAfter(before, message, found.messages)
        if (after !== before) yield * put.run(found.number, user, after)
        return { isNew: after !== before, seen: { id: conversation, user, up_to: after } }
      })
      if (kept?.isNew) {
        recent = [...recent.slice(1 - REMEMBERED), { n: ++n, owner, seen: kept.seen }]
        notifier.notify(inboxOf(owner))
        // Its visitor is told that who answers has read what they wrote.
        notifier.notify(topicOf(conversation))
      }
      return kept?.seen
    },
    of: async (owner, conversation, user) => db.read(function * () {
      const found = yield * conversationOf.get(conversation, owner)
      return found && { id: conversation, user, up_to: (yield * markOf.get(found.number, user)) ?? 0 }
    }),
    unread: async (owner, user) => db.read(() => unreadOf.all(owner, user, user, LISTED)),
    watch (owner) {
      let told = n
      return () => {
        const marks = recent.filter((one) => one.owner === owner && one.n > told).map(({ seen }) => seen)
        told = n
        return marks
      }
    }
  }
}

/** Where a mark stands once `seen` was seen of a conversation with so many messages. */
export function markAfter (before: number, seen: number, messages: number): number {
  return Math.max(before, Math.min(seen, messages))
}
