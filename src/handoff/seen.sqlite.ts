import type { Id } from '../../schema/common.ts'
import type { Seen, SeenByVisitor, SeenState, SeenTold } from '../../schema/handoff.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { inboxOf, topicOf } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'

/** What members and visitors have seen of conversations, and what is unread. */
export interface SeenStore {
  /**
   * A user has seen a conversation up to a message. A mark never moves back, nor beyond the newest message. Undefined
   * if there is no such conversation.
   */
  mark (owner: Id, conversation: string, user: Id, message: number): Promise<Seen | undefined>
  /** The same for its visitor, with the time. */
  markByVisitor (owner: Id, conversation: string, message: number): Promise<SeenByVisitor | undefined>
  /**
   * How far a user has seen a conversation, 0 if not at all, and how far its visitor has. Undefined if there is no such
   * conversation.
   */
  of (owner: Id, conversation: string, user: Id): Promise<SeenState | undefined>
  /** How far its visitor has seen a conversation, and when; undefined if unknown. */
  ofVisitor (owner: Id, conversation: string): Promise<SeenByVisitor | undefined>
  /**
   * The conversations held by a user in which the visitor waits for a reply and something is newer than the user's
   * mark; the newest 100 at most.
   */
  unread (owner: Id, user: Id): Promise<string[]>
  /** For watchers of an account: each call of the result returns the marks set since the last call. */
  watch (owner: Id): () => SeenTold[]
}

/** A mark as it is sent. `n` counts up. */
interface Told { n: number, owner: Id, seen: SeenTold }

/** Sent to other processes, with who has seen what. */
const SEEN = 'seen'

/** Most remembered: watchers are woken at once. */
const REMEMBERED = 200
/** Most conversations listed as unread. */
const LISTED = 100

/** See SeenStore. Marks are stored; that one was set is only sent to watchers. */
export function sqliteSeenStore (
  { db, clock, notifier, neighbours }: Pick<Kernel, 'db' | 'clock' | 'notifier' | 'neighbours'>
): SeenStore {
  const conversationOf = db.objects<[string, Id], { number: number, messages: number }>(
    `select number, messages from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const markOf = db.column<[number, Id], number>('select message from seen_marks where conversation = ? and user_id = ?')
  const put = db.objects(
    'insert into seen_marks (conversation, user_id, message) values (?, ?, ?) on conflict (conversation, user_id) do update set message = excluded.message'
  )
  const visitorMarkOf = db.objects<[number], SeenByVisitor>(
    'select message as up_to, at from visitor_seen where conversation = ?'
  )
  const putVisitors = db.objects(
    'insert into visitor_seen (conversation, message, at) values (?, ?, ?) on conflict (conversation) do update set message = excluded.message, at = excluded.at'
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

  function heard (owner: Id, seen: SeenTold) {
    recent = [...recent.slice(1 - REMEMBERED), { n: ++n, owner, seen }]
    notifier.notify(inboxOf(owner))
    // Its visitor is notified that the person answering has read it.
    if (seen.user !== null) notifier.notify(topicOf(seen.id))
  }
  neighbours.hear(SEEN, (said) => {
    const { owner, seen } = said as unknown as Omit<Told, 'n'>
    heard(owner, seen)
  })

  function told (owner: Id, seen: SeenTold) {
    heard(owner, seen)
    neighbours.tell(SEEN, { owner, seen })
  }

  return {
    async mark (owner, conversation, user, message) {
      const kept = await db.atomically(function * () {
        const found = yield * conversationOf.get(conversation, owner)
        if (!found) return undefined
        const before = (yield * markOf.get(found.number, user)) ?? 0
        const after = markAfter(before, message, found.messages)
        if (after !== before) yield * put.run(found.number, user, after)
        return { isNew: after !== before, seen: { id: conversation, user, up_to: after } }
      }, { of: owner })
      if (kept?.isNew) told(owner, kept.seen)
      return kept?.seen
    },
    async markByVisitor (owner, conversation, message) {
      const at = timestamp(clock.micros())
      const kept = await db.atomically(function * () {
        const found = yield * conversationOf.get(conversation, owner)
        if (!found) return undefined
        const before = yield * visitorMarkOf.get(found.number)
        const after = markAfter(before?.up_to ?? 0, message, found.messages)
        if (after === before?.up_to) return { isNew: false, seen: before }
        yield * putVisitors.run(found.number, after, at)
        return { isNew: true, seen: { up_to: after, at } }
      }, { of: owner })
      if (kept?.isNew) told(owner, { id: conversation, user: null, ...kept.seen })
      return kept?.seen
    },
    of: async (owner, conversation, user) => db.read(function * () {
      const found = yield * conversationOf.get(conversation, owner)
      return found && {
        id: conversation,
        user,
        up_to: (yield * markOf.get(found.number, user)) ?? 0,
        visitor: (yield * visitorMarkOf.get(found.number)) ?? null
      }
    }),
    ofVisitor: async (owner, conversation) => db.read(function * () {
      const found = yield * conversationOf.get(conversation, owner)
      return found && (yield * visitorMarkOf.get(found.number))
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

/** The new mark once `seen` was seen of a conversation of this many messages. */
export function markAfter (before: number, seen: number, messages: number): number {
  return Math.max(before, Math.min(seen, messages))
}
