import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { WaitingTickets } from './store.ts'

const AT_ONCE = 50
const WAITING = "from tickets indexed by tickets_waiting where status = 'open' and error is not null"

/** See WaitingTickets. */
export function waitingTickets (db: Database): WaitingTickets {
  const agent = db.raw.prepare<[Id], { owner: Id, agent: Id }>(
    `select owner_id as owner, agent_id as agent ${WAITING} and agent_id > ? order by agent_id limit 1`
  )
  const some = db.raw.prepare<[Id, string, number, Id], { id: string, at: string, number: number }>(
    `select id, created_at as at, number ${WAITING}
      and agent_id = ? and (created_at, number) > (?, ?) and owner_id = ? order by created_at, number limit ${AT_ONCE}`
  )
  return {
    agent: async (after) => db.read(() => agent.get(after)),
    of: async (owner, id, { at, number }) => db.read(() => some.all(id, at, number, owner))
  }
}
