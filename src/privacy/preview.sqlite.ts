import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Id } from '../../schema/common.ts'
import type { Removed } from '../../schema/privacy.ts'
import { QUIET_SINCE } from '../../schema/sqlite/conversations.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { NOTHING, plus } from './retention.ts'

/** Rows that are looked at in one turn of the event loop. */
const AT_ONCE = 500

/** What was counted of some rows; `number`: of the last one, null where there was none. */
type Counted = Partial<Removed> & { number: number | null }

/** Counts what an agent keeps that was silent since a time, in slices that hold nobody up. */
export function counting ({ raw, read }: Pick<Database, 'raw' | 'read'>) {
  const slice = (sums: string, columns: string, table: string) =>
    raw.prepare<{ agent: Id, since: string, behind: number }, Counted>(`
      select max(number) as number, ${sums}
      from (select number, ${columns} from ${table} indexed by ${table}_by_agent where agent_id = :agent and number > :behind order by number limit ${AT_ONCE})`)
  const slices = [
    slice(
      'sum(gone) as conversations, sum(gone * messages) as messages, sum(files) as attachments',
      `messages, ${QUIET_SINCE} < :since as gone, iif(${QUIET_SINCE} < :since, (select count(*) from attachments where conversation = number), 0) as files`,
      'conversations'
    ),
    slice(
      'sum(gone) as visitors',
      `last_seen_at < :since and not exists (select 1 from conversations where visitor = visitors.id and ${QUIET_SINCE} >= :since) as gone`,
      'visitors'
    ),
    slice('sum(gone) as tickets', 'conversation is null and updated_at < :since as gone', 'tickets')
  ]

  return async (agent: Id, since: string): Promise<Removed> => {
    let all = NOTHING
    for (const counted of slices) {
      for (let behind: number | null = 0; behind !== null; await nextTurn()) {
        const { number, ...more }: Counted = read(() => counted.get({ agent, since, behind: behind! })!)
        all = plus(all, more)
        behind = number
      }
    }
    return all
  }
}
