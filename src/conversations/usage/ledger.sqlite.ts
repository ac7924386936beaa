import type { Id } from '../../../schema/common.ts'
import { modelDays, modelRuns } from '../../../schema/sqlite/conversations.ts'
import type { Kernel } from '../../kernel/index.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Work } from '../../platform/storage/work.ts'
import { inPortions } from '../../platform/work/slices.ts'
import { dateOf, dayOf, dayOfDate, type Ledger, type ModelUsage, type UsageLine } from './ledger.ts'

/** Prices have fractions of a cent: held in millionths. */
const MILLIONTHS = 1_000_000

/** Days summed up before others get their turn. */
const DAYS_AT_ONCE = 100

/** Accounts whose sums of the day are cached; one more, and the cache is cleared. */
const REMEMBERED = 1000

/** Tokens used by an account and each of its agents on a day, by its runs up to the `last`. */
interface Used { day: number, last: number, account: number, agents: Map<Id, number> }

/** The ledger in SQLite; `add` runs inside the transaction of the message written by a run. */
export function sqliteLedger ({ db, clock }: Pick<Kernel, 'db' | 'clock'>): Ledger & {
  add: (owner: Id, conversation: number | null, run: ModelUsage) => Work<void>
} {
  const rows = rowsOf(modelRuns)
  const insert = db.objects(`insert into model_runs (${rows.columns}) values (${rows.placeholders})`)
  const days = rowsOf(modelDays)
  const plus = ['runs', 'input_tokens', 'output_tokens', 'cached_tokens'].map((name) => `${name} = model_days.${name} + excluded.${name}`)
  const addToDay = db.objects(`
    insert into model_days (${days.columns}) values (${days.placeholders}) on conflict (owner_id, day, model, agent_id)
    do update set ${plus.join()}, 
      cost = case when excluded.cost is null then model_days.cost else coalesce(model_days.cost, 0) + excluded.cost end`)
  const since = db.objects<[Id, number, number], { agent: Id, last: number, tokens: number }>(`
    select agent_id as agent, max(id) as last, sum(input_tokens + output_tokens) as tokens
    from model_runs where owner_id = ? and day = ? and id > ? group by agent_id`)
  const sums = db.objects<
    { owner: Id, agent: Id | null, from: number, to: number },
    Omit<UsageLine, 'day'> & { day: number }
  >(`
    select day, model, sum(runs) as runs, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cached_tokens) as cached_tokens, sum(cost) as cost
    from model_days where owner_id = :owner and day between :from and :to and (agent_id = :agent or :agent is null) group by day, model order by day, model`)

  const used = new Map<Id, Used>()

  function * add (owner: Id, conversation: number | null, { cost, ...run }: ModelUsage) {
    const kept = {
      ...run, owner, day: dayOf(clock.micros()), cost: cost === null ? null : Math.round(cost * MILLIONTHS)
    }
    yield * insert.run(...rows.values({ ...kept, conversation }))
    yield * addToDay.run(...days.values({ ...kept, runs: 1 }))
  }

  /** Runs are never changed or removed: only new ones since the last time are read. */
  function * usedBy (owner: Id, day: number): Work<Used> {
    const known = used.get(owner)
    const kept = known?.day === day ? known : { day, last: 0, account: 0, agents: new Map<Id, number>() }
    if (used.size >= REMEMBERED && !known) used.clear()
    used.set(owner, kept)
    const from = kept.last
    const added = yield * since.all(owner, day, from)
    // Another call may have read and added the same meanwhile.
    for (const { agent, last, tokens } of kept.last === from ? added : []) {
      kept.last = Math.max(kept.last, last)
      kept.account += tokens
      kept.agents.set(agent, (kept.agents.get(agent) ?? 0) + tokens)
    }
    return kept
  }

  return {
    add,
    note: async (owner, run) => await db.atomically(() => add(owner, null, run), { of: owner }),
    today: async (owner, agent) =>
      db.read(function * () {
        const { account, agents } = yield * usedBy(owner, dayOf(clock.micros()))
        return { account, agent: agents.get(agent) ?? 0 }
      }),
    usage: async (owner, { from, to, agent = null as never }) => {
      const days = { from: dayOfDate(from), to: dayOfDate(to) }
      const lines = await inPortions(
        days, DAYS_AT_ONCE, async (from, to) => db.read(() => sums.all({ owner, agent, from, to }))
      )
      return lines.map(({ day, cost, ...line }) => ({
        day: dateOf(day), ...line, cost: cost === null ? null : cost / MILLIONTHS
      }))
    }
  }
}
