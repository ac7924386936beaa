import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Counted, Counter } from './contract.ts'

/** Rows counted in one turn of the event loop. */
const ROWS_AT_ONCE = 500

/** Counts rows of a table that has an index `…_by_agent`, in batches: `sums` over `columns` of each. */
export function counterOf (db: Database, sums: string, columns: string, table: string): Counter {
  return db.objects<{ agent: Id, since: string, behind: number }, Counted>(`
      select max(number) as number, ${sums}
      from (select number, ${columns} from ${table} indexed by ${table}_by_agent where agent_id = :agent and number > :behind order by number limit ${ROWS_AT_ONCE}) as looked`)
}
