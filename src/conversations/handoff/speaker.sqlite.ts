import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Id } from '../../../schema/common.ts'
import type { GuardRule } from '../../../schema/guards.ts'
import { hasTickets, type TicketWays } from './policy.ts'
import type { Speaker } from '../contract.ts'

type Row = Omit<Speaker, 'expertHandoff' | 'aiToAiHandoff' | 'contact' | 'hasTickets' | 'guardRules'> &
  Omit<TicketWays, 'hasProvider'> & Record<'expertHandoff' | 'aiToAiHandoff' | 'hasProvider', number> & { guards: string | null }

/** Loads only the few agent fields hand-off needs; runs on every message. */
export function speakersIn (
  db: Database
): (owner: Id, agent: Id, isDraft: boolean) => Work<Speaker | undefined> {
  const live = speakersFrom(db, 'agents')
  const draft = speakersFrom(db, DRAFTS)
  return function * (owner, agent, isDraft) {
    return isDraft ? (yield * draft(owner, agent)) : (yield * live(owner, agent))
  }
}

/** Agents from their drafts; unpublished ones have no version. */
const DRAFTS = `(select id, owner_id, case when draft is null then live_version end as live_version, ${
  ['status', 'appearance', 'behavior', 'default_ticketing_provider', 'ticketing_providers'].map((column) =>
    `case when draft is null then ${column} else draft ->> '$.${column}' end as ${column}`).join(', ')
} from agents) as drafts`

function speakersFrom (db: Database, table: string) {
  const one = db.objects<[Id, Id], Row>(`
    select id, status, live_version as version, appearance ->> '$.chatbotName' as name, cast(
      behavior ->> '$.expertHandoff' as bigint
    ) as expertHandoff,
      cast(behavior ->> '$.aiToAiHandoff' as bigint) as aiToAiHandoff,
      behavior ->> '$.agentHandoffPrompt' as agentHandoffPrompt,
      behavior ->> '$.ticketType' as ticketType, behavior ->> '$.email' as email,
      default_ticketing_provider is not null or ticketing_providers <> '[]' as hasProvider,
      behavior -> '$.guardRules' as guards
    from ${table} where id = ? and owner_id = ?`)
  return function * (owner: Id, agent: Id): Work<Speaker | undefined> {
    const row = yield * one.get(agent, owner)
    if (!row) return undefined
    const { expertHandoff, aiToAiHandoff, ticketType, email, hasProvider, guards, ...rest } = row
    return {
      ...rest,
      expertHandoff: expertHandoff === 1,
      aiToAiHandoff: aiToAiHandoff === 1,
      contact: email,
      hasTickets: hasTickets({ ticketType, email, hasProvider: hasProvider === 1 }),
      guardRules: JSON.parse(guards ?? '[]') as GuardRule[]
    }
  }
}
