import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import { hasTickets, type TicketWays } from './hands.ts'
import type { Speaker } from '../contract.ts'

type Row = Omit<Speaker, 'expertHandoff' | 'aiToAiHandoff' | 'contact' | 'hasTickets'> & Omit<TicketWays, 'hasProvider'> &
  Record<'expertHandoff' | 'aiToAiHandoff' | 'hasProvider', number>

/** Reads of an agent what matters to who speaks; nothing else of it, since every message asks. */
export function speakersIn (
  raw: BetterSqlite3.Database
): (owner: Id, agent: Id, isDraft: boolean) => Speaker | undefined {
  const live = speakersFrom(raw, 'agents')
  const draft = speakersFrom(raw, DRAFTS)
  return (owner, agent, isDraft) => isDraft ? draft(owner, agent) : live(owner, agent)
}

/** Agents as their drafts are; what is not published has no version. */
const DRAFTS = `(select id, owner_id, case when draft is null then live_version end as live_version, ${
  ['status', 'appearance', 'behavior', 'default_ticketing_provider', 'ticketing_providers'].map((column) =>
    `case when draft is null then ${column} else draft ->> '$.${column}' end as ${column}`).join(', ')
} from agents)`

function speakersFrom (raw: BetterSqlite3.Database, table: string) {
  const one = raw.prepare<[Id, Id], Row>(`
    select id, status, live_version as version, appearance ->> '$.chatbotName' as name, behavior ->> '$.expertHandoff' as expertHandoff, behavior ->> '$.aiToAiHandoff' as aiToAiHandoff,
      behavior ->> '$.agentHandoffPrompt' as agentHandoffPrompt,
      behavior ->> '$.ticketType' as ticketType, behavior ->> '$.email' as email,
      default_ticketing_provider is not null or ticketing_providers <> '[]' as hasProvider
    from ${table} where id = ? and owner_id = ?`)
  return (owner: Id, agent: Id): Speaker | undefined => {
    const row = one.get(agent, owner)
    if (!row) return undefined
    const { expertHandoff, aiToAiHandoff, ticketType, email, hasProvider, ...rest } = row
    return {
      ...rest,
      expertHandoff: expertHandoff === 1,
      aiToAiHandoff: aiToAiHandoff === 1,
      contact: email,
      hasTickets: hasTickets({ ticketType, email, hasProvider: hasProvider === 1 })
    }
  }
}
