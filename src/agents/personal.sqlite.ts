import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** How long agents keep conversations, and how an account's agents are deleted, for `privacy/`. */
export function agentsOfPersons (db: Database) {
  const keeping = db.objects<[], { owner: Id, agent: Id, days: number }>(`
    select owner_id as owner, id as agent, json_extract(gdpr_settings, '$.data_retention_days') as days from agents
    where json_extract(gdpr_settings, '$.data_retention_days') is not null and owner_id is not null order by id`)
  const days = db.objects<[Id, Id], { days: number | null }>(
    "select json_extract(gdpr_settings, '$.data_retention_days') as days from agents where id = ? and owner_id = ?"
  )
  const ofAccount = db.column<[Id], Id>('select id from agents where owner_id = ?')
  const disown = db.objects('update agents set owner_id = null where owner_id = ?')
  const isAnyDeleted = db.column<[], number>('select 1 from agents where owner_id is null limit 1')
  return {
    /** The agents that keep conversations for a limited number of days. */
    keepingForDays: (): Work<Array<{ owner: Id, agent: Id, days: number }>> => keeping.all(),
    /** The days that an agent keeps its conversations; null: without limit. Undefined when there is no such agent. */
    keptFor: (owner: Id, agent: Id): Work<{ days: number | null } | undefined> => days.get(agent, owner),
    ofAccount: (owner: Id): Work<Id[]> => ofAccount.all(owner),
    /** Hides all agents of an account: they have no owner, see `deleted.sqlite.ts`. */
    disown: (owner: Id): Work<number> => disown.run(owner),
    * isAnyDeleted (): Work<boolean> {
      return (yield * isAnyDeleted.get()) === 1
    }
  }
}

export type AgentsOfPersons = ReturnType<typeof agentsOfPersons>
