import type { Id } from '../../schema/common.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { TicketStore } from './store.ts'

const WAITING_AT_ONCE = 50
const WAITING =
  `from tickets indexed by tickets_waiting where status = 'open' and error is not null and ${OF_KEPT_AGENT}`

/** The part of TicketStore that is about tickets which wait here. */
export function waitingTickets (db: Database): Pick<TicketStore, 'waiting' | 'nextWaiting'> {
  const agent = db.objects<[Id], { owner: Id, agent: Id }>(
    `select owner_id as owner, agent_id as agent ${WAITING} and agent_id > ? order by agent_id limit 1`
  )
  const some = db.objects<[Id, string, number, Id], { id: string, at: string, number: number }>(
    `select id, created_at as at, number ${WAITING}
      and agent_id = ? and (created_at, number) > (?, ?) and owner_id = ? order by created_at, number limit ${WAITING_AT_ONCE}`
  )
  return {
    waiting: async (owner, id, { at, number }) => db.read(() => some.all(id, at, number, owner)),
    nextWaiting: async (after) => db.read(() => agent.get(after))
  }
}
