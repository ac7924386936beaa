import type { Id } from '../../schema/common.ts'
import { counterOf } from '../personal-data/counting.sqlite.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { listOf } from '../platform/storage/list.ts'
import type { Work } from '../platform/storage/work.ts'
import { AT_ONCE } from '../platform/work/row-removal.ts'

/** Personal data in tickets: those that belong to no conversation are removed separately, by `privacy/`. */
export function ticketsOfPersons (db: Database) {
  const quiet = db.column<[Id, string], string>(`
    select id from tickets indexed by tickets_loose where agent_id = ? and conversation is null and updated_at < ? limit ${AT_ONCE}`)
  const list = listOf(db)
  const remove = db.objects(`delete from tickets where id in (${list.marks}) and owner_id = ?`)
  const forget = db.objects(`delete from idempotency_records where about in (${list.marks})`)
  const ofConversations = db.column<number[], string>(
    `select 'tickets/' || id from tickets where conversation_number in (${list.marks})`
  )
  return {
    /** A batch of an agent's tickets that belong to no conversation, without activity since a time. */
    quietSince: (agent: Id, since: string): Work<string[]> => quiet.all(agent, since),
    /**
     * Removes a batch of them with their idempotency records; the table's triggers remove the rest. Returns how many
     * were removed.
     */
    * remove (owner: Id, ids: readonly string[]): Work<number> {
      yield * forget.run(...list.values(ids.map((id) => `tickets/${id}`)))
      return yield * remove.run(...list.values(ids), owner)
    },
    /** Those of a batch of conversations, as the outbox names them. */
    namesOf: (conversations: readonly number[]): Work<string[]> => ofConversations.all(...list.values(conversations)),
    counters: [counterOf(db, 'sum(gone) as tickets', 'conversation is null and updated_at < :since as gone', 'tickets')]
  }
}

export type TicketsOfPersons = ReturnType<typeof ticketsOfPersons>
