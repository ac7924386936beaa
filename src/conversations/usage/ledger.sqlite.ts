import type { Id } from '../../../schema/common.ts'
import { modelRuns } from '../../../schema/sqlite/conversations.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { dateOf, dayOf, dayOfDate, type Ledger, type Run, type UsageLine } from './ledger.ts'

/** Prices have fractions of a cent: kept in millionths. */
const MILLIONTHS = 1_000_000

/** The ledger in SQLite; `add` runs inside the transaction of the message that a run wrote. */
export function sqliteLedger ({
  db, clock
}: {
  db: Database, clock: Clock
}): Ledger & { add: (owner: Id, conversation: number | null, run: Run) => void } {
  const rows = rowsOf(modelRuns)
  const insert = db.raw.prepare(`insert into model_runs (${rows.columns}) values (${rows.placeholders})`)
  const used = db.raw.prepare<{ owner: Id, agent: Id, day: number }, { account: number, agent: number }>(`
    select coalesce(sum(input_tokens + output_tokens), 0) as account, coalesce(sum(case when agent_id = :agent then input_tokens + output_tokens end), 0) as agent
    from model_runs where owner_id = :owner and day = :day`)
  const sums = db.raw.prepare<
    { owner: Id, agent: Id | null, from: number, to: number },
    Omit<UsageLine, 'day'> & { day: number }
  >(`
    select day, model, count(*) as runs, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cached_tokens) as cached_tokens, sum(cost) as cost
    from model_runs where owner_id = :owner and day between :from and :to and (:agent is null or agent_id = :agent) group by day, model order by day, model`)

  function add (owner: Id, conversation: number | null, { cost, ...run }: Run) {
    insert.run(
      ...rows.values({
        ...run,
        owner,
        conversation,
        day: dayOf(clock.micros()),
        cost: cost === null ? null : Math.round(cost * MILLIONTHS)
      })
    )
  }

  return {
    add,
    note: async (owner, run) => await db.atomically(() => add(owner, null, run)),
    today: (owner, agent) =>
      db.read(() => used.get({ owner, agent, day: dayOf(clock.micros()) }) ?? { account: 0, agent: 0 }),
    usage: async (owner, { from, to, agent = null as never }) =>
      db.read(() =>
        sums
          .all({ owner, agent, from: dayOfDate(from), to: dayOfDate(to) })
          .map(({ day, cost, ...line }) => ({
            day: dateOf(day), ...line, cost: cost === null ? null : cost / MILLIONTHS
          }))
      )
  }
}
