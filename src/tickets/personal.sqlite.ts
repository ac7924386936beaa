import type { Id } from '../../schema/common.ts'
import { counterOf } from '../personal-data/counting.sqlite.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { AT_ONCE } from '../platform/work/row-removal.ts'

/** What tickets know of persons: those that belong to no conversation are removed by themselves, by `privacy/`. */
export function ticketsOfPersons (db: Database) {
  const quiet = db.column<[Id, string], string>(`
    select id from tickets indexed by tickets_loose where agent_id = ? and conversation is null and updated_at < ? limit ${AT_ONCE}`)
  const remove = db.objects('delete from tickets where id = ? and owner_id = ?')
  const forget = db.objects("delete from idempotency_records where about = 'tickets/' || ?")
  const ofConversation = db.column<[number], string>("select 'tickets/' || id from tickets where conversation_number = ?")
  return {
    /** Tickets of an agent and of no conversation in which nothing happened since a time: some of them. */
    quietSince: (agent: Id, since: string): Work<string[]> => quiet.all(agent, since),
    /** Removes one with what would answer a repeat with it; the rest goes by triggers of its table. How many went. */
    * remove (owner: Id, id: string): Work<number> {
      yield * forget.run(id)
      return yield * remove.run(id, owner)
    },
    /** A conversation's, as the outbox names them. */
    namesOf: (conversation: number): Work<string[]> => ofConversation.all(conversation),
    counters: [counterOf(db, 'sum(gone) as tickets', 'conversation is null and updated_at < :since as gone', 'tickets')]
  }
}

export type TicketsOfPersons = ReturnType<typeof ticketsOfPersons>
