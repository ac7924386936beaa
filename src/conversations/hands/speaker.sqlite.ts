import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import type { Speaker } from './hands.ts'

type Row = Omit<Speaker, 'expertHandoff' | 'aiToAiHandoff' | 'hasTickets'> &
  Record<'expertHandoff' | 'aiToAiHandoff' | 'hasTickets', number>

/** Reads of an agent what matters to who speaks; nothing else of it, since every message asks. */
export function speakersIn (raw: BetterSqlite3.Database): (owner: Id, agent: Id) => Speaker | undefined {
  const one = raw.prepare<[Id, Id], Row>(`
    select id, status, version, appearance ->> '$.chatbotName' as name, behavior ->> '$.expertHandoff' as expertHandoff, behavior ->> '$.aiToAiHandoff' as aiToAiHandoff,
      behavior ->> '$.agentHandoffPrompt' as agentHandoffPrompt,
      iif(behavior ->> '$.ticketType' = 'email', behavior ->> '$.email' is not null, default_ticketing_provider is not null or ticketing_providers <> '[]') as hasTickets
    from agents where id = ? and owner_id = ?`)
  return (owner, agent) => {
    const row = one.get(agent, owner)
    return (
      row && {
        ...row,
        expertHandoff: row.expertHandoff === 1,
        aiToAiHandoff: row.aiToAiHandoff === 1,
        hasTickets: row.hasTickets === 1
      }
    )
  }
}
