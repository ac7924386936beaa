import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Call, Person, CallState } from './calls.ts'

/** Maximum browsers notified of one event, the newest. */
const BROWSERS = 1000

/** A browser that may be notified, and what is known of its user. */
export type Browser = Omit<Person, 'hasConsole'> & { session: Id }

/** A pending push, and the current state. */
export interface Due {
  browser: Browser & { language: string, sealed: Buffer }
  call: Call
  standing: CallState
  owner: Id
  agent: Id
  conversation: string
  visitor: string | null
}

interface BrowserRow { session: Id, user: Id, on: number | null, seen: number }
interface DueRow extends BrowserRow, Call {
  language: string
  sealed: Buffer
  conversation: string
  owner: Id
  agent: Id
  visitor: string | null
  by: CallState['by']
  person: Id | null
  assignee: Id | null
  messages: number
  turn_now: number
  waits: number
}

/** Pending pushes: only the newest of a conversation for each browser. All methods run inside a transaction. */
export interface CallRows {
  /**
   * The browsers of all who may answer in the account of a conversation, or of one user, as long as they are signed in.
   */
  browsers (conversation: ConversationRecord, user: Id | null): Work<Browser[]>
  /** Adds a pending push to a browser; returns its id. */
  add (conversation: ConversationRecord, session: Id, call: Call): Work<Id>
  /** Undefined if it is no longer for anybody. */
  due (id: Id): Work<Due | undefined>
  forget (id: Id): Work<void>
  /** It was sent; false if something newer came meanwhile. */
  told (id: Id, call: Call): Work<boolean>
  /** Deletes a browser that no longer exists, and its pending pushes. */
  removeBrowser (session: Id): Work<void>
}

/** See CallRows. */
export function callRows (db: Database, clock: Clock): CallRows {
  const mayAnswer = "exists (select 1 from json_each(members.permissions) where value = 'REPLY_CONVERSATION')"
  const numberOf = db.column<[string], number>('select number from conversations where id = ?')
  const browsers = db.objects<{ owner: Id, number: number, now: string, user: Id | null }, BrowserRow>(`
    select session_id as session, push_subscriptions.user_id as user, duties."on", coalesce(seen_marks.message, 0) as seen
    from members join push_subscriptions using (user_id) join sessions on sessions.id = session_id
      left join duties on duties.owner_id = members.account_id and duties.user_id = members.user_id
      left join seen_marks on seen_marks.conversation = :number and seen_marks.user_id = members.user_id
    where members.account_id = :owner and (members.user_id = :user or :user is null) and sessions.expires_at > :now and ${mayAnswer}
    order by session_id desc limit ${BROWSERS}`)
  const put = db.column<{ session: Id, number: number } & Call, Id>(`
    insert into push_calls (session_id, conversation, message, epoch) values (:session, :number, :message, :turn)
    on conflict (session_id, conversation) do update set message = excluded.message, epoch = excluded.epoch
    returning id`)
  const due = db.objects<{ id: Id, now: string }, DueRow>(`
    select push_calls.session_id as session, push_subscriptions.user_id as user, push_calls.message, push_calls.epoch as turn,
      push_subscriptions.language, push_subscriptions.sealed, duties."on", coalesce(seen_marks.message, 0) as seen,
      conversations.id as conversation, conversations.owner_id as owner, agent_id as agent, visitor, handled_by as by, person, assignee,
      conversations.messages, conversations.epoch as turn_now, cast(course ->> 'waits' as bigint) as waits
    from push_calls join push_subscriptions using (session_id) join sessions on sessions.id = push_calls.session_id
      join conversations on conversations.number = push_calls.conversation
      join members on members.account_id = conversations.owner_id and members.user_id = push_subscriptions.user_id
      left join duties on duties.owner_id = members.account_id and duties.user_id = members.user_id
      left join seen_marks on seen_marks.conversation = number and seen_marks.user_id = members.user_id
    where push_calls.id = :id and sessions.expires_at > :now and ${OF_KEPT_AGENT} and ${mayAnswer}`)
  const forget = db.objects('delete from push_calls where id = ?')
  const told = db.objects('delete from push_calls where id = ? and message = ? and epoch = ?')
  const remove = db.objects('delete from push_subscriptions where session_id = ?')
  const at = () => timestamp(clock.micros())
  const said = (on: number | null) => on === null ? null : on === 1

  return {
    * browsers ({ id, owner }, user) {
      return (yield * browsers
        .all({ owner, number: (yield * numberOf.get(id))!, user, now: at() }))
        .map(({ on, ...rest }) => ({ ...rest, on: said(on) }))
    },
    * add ({ id }, session, call) {
      return (yield * put.get({ session, number: (yield * numberOf.get(id))!, ...call }))!
    },
    * due (id) {
      const row = yield * due.get({ id, now: at() })
      if (!row) return undefined
      const { session, user, on, seen, language, sealed, message, turn, ...standing } = row
      const { by, person, assignee, waits, messages, ...rest } = standing
      const { turn_now: now, ...about } = rest
      return {
        ...about,
        browser: { session, user, on: said(on), seen, language, sealed },
        call: { message, turn },
        standing: { by, person, assignee, turn: now, waits, messages }
      }
    },
    * forget (id) { yield * forget.run(id) },
    * told (id, { message, turn }) { return (yield * told.run(id, message, turn)) > 0 },
    * removeBrowser (session) { yield * remove.run(session) }
  }
}
