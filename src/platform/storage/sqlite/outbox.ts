import { eq } from 'drizzle-orm'
import { outbox, type OutboxRecord } from '../../../../schema/sqlite/storage.ts'
import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import {
  DELIVER, delivery, replayed, settled as settledBy, type Dispatch, type Listed, type OnSettled, type OutboxStore
} from '../../work/outbox.ts'
import { partOf } from '../parts.ts'
import type { Database } from './database.ts'
import type { Jobs } from './jobs.ts'
import { idempotencyIn } from './idempotency.ts'
import { rowsOf } from './rows.ts'
import { flatMapped, ifAny, settled, type Work } from '../work.ts'

const FORGOTTEN_AT_ONCE = 500

/**
 * Outgoing messages, in the same database as what causes them: `add` and `drop` run inside the transaction of the
 * cause.
 */
export interface Outbox extends OutboxStore {
  /**
   * Adds what a decision sends, and requests its sending. A key that was already used is not added again. Returns the
   * entries that are new.
   */
  add (...dispatches: Dispatch[]): Work<OutboxRecord[]>
  /** Whether an entry with this key exists that did not fail permanently. Called inside a transaction. */
  has (channel: string, key: string): Work<boolean>
  /** Removes everything that belongs to a thing, sent or not. */
  drop (about: string): Work<void>
  /** Calls back when entries of a channel are settled, from now on. */
  onSettled (channel: string, callback: OnSettled): void
}

/** Returns, as of this turn, what must not be seen or sent because it belongs to a thing that was deleted. */
type HidingAbout = () => Work<(about: string) => Work<boolean>>

/** See Outbox. Hidden entries are waiting for removal. */
export function outboxIn (
  db: Database, clock: Clock, jobs: Pick<Jobs, 'ask'>, hiding: HidingAbout = () => settled(() => settled(false))
): Outbox {
  const { orm } = db
  const listeners = new Map<string, OnSettled>()
  const repeats = idempotencyIn(db, clock)
  const due = db.column<[string, Id], number>('select due from jobs where kind = ? and subject = ? and died is null')
  const forget = db.objects(
    `delete from outbox where id in (select id from outbox where settled_at < ? limit ${FORGOTTEN_AT_ONCE})`
  )
  // Run for each of many thousand removed conversations: preparing it each time took half of the time.
  const drop = db.objects('delete from outbox where about = ?')
  const has = db.objects("select 1 from outbox where channel = ? and key = ? and state <> 'dead'")
  function * listed (entry: OutboxRecord): Work<Listed> {
    return {
      entry, next: entry.state === 'waiting' ? ((yield * due.get(DELIVER, entry.id)) ?? null) : null
    }
  }
  const rows = rowsOf(outbox)
  const get = (id: Id) => db.get(orm.select().from(outbox).where(eq(outbox.id, id)))
  function * seen (owner: Id, id: Id): Work<OutboxRecord | undefined> {
    const entry = yield * get(id)
    return entry?.owner === owner && !(yield * (yield * hiding())(entry.about)) ? entry : undefined
  }
  const set = (id: Id, next: Partial<OutboxRecord>) =>
    db.get(orm.update(outbox).set(next).where(eq(outbox.id, id)).returning())

  return {
    * add (...dispatches) {
      return yield * flatMapped(dispatches, function * (dispatch) {
        const entry = (yield * db.get(orm
          .insert(outbox)
          .values({ ...dispatch, state: 'waiting', attempts: 0, is_open: false, created_at: clock.micros() })
          .onConflictDoNothing()
          .returning())) as OutboxRecord | undefined
        if (entry) yield * jobs.ask(delivery(entry))
        return entry ? [entry] : []
      })
    },
    * has (channel, key) { return (yield * has.get(channel, key)) !== undefined },
    * drop (about) {
      yield * drop.run(about)
    },
    onSettled: (channel, callback) => { listeners.set(channel, callback) },
    begin: (id, heldMs) => db.atomically(function * () {
      const entry = yield * get(id)
      if (entry?.state !== 'waiting' || (yield * (yield * hiding())(entry.about))) return undefined
      const held = yield * heldMs(entry)
      if (held > 0) return { heldMs: held }
      return { entry: (yield * set(id, { is_open: true, attempts: entry.attempts + 1 }))!, isRepeat: entry.is_open }
    }),
    settle: (id, attempt) => db.atomically(function * () {
      const entry = yield * get(id)
      if (entry?.state !== 'waiting') return undefined
      const { next, againInMs } = settledBy(entry, attempt, clock.micros())
      const now = (yield * set(id, next))!
      if (now.state !== 'waiting') yield * ifAny(listeners.get(now.channel)?.(now))
      return againInMs
    }),
    list: async (owner, filter, before, limit) => await partOf(db, {
      * read (from, asked) {
        const { index, where, values } = scope(owner, filter, from)
        return (yield * db.rows<unknown[], unknown[]>(
            `select ${rows.columns} from outbox indexed by ${index} where ${where} order by id desc limit ?`
        )
          .all(...values, asked))
          .map(rows.record)
      },
      placeOf: ({ id }) => id,
      * hiding () {
        const isHidden = yield * hiding()
        return ({ about }) => isHidden(about)
      },
      show: listed
    }, before, limit),
    get: async (owner, id) => db.read(function * () {
      const entry = yield * seen(owner, id)
      return entry && (yield * listed(entry))
    }),
    forget: (before) => db.atomically(function * () {
      return (yield * forget.run(before)) === FORGOTTEN_AT_ONCE
    }, { frees: true }),
    replay: (owner, id, isRepeatable, once) => db.atomically(function * () {
      const entry = yield * seen(owner, id)
      return entry && (yield * repeats.run(owner, once, function * () {
        const next = (yield * set(id, replayed(entry, isRepeatable(entry.channel))))!
        yield * jobs.ask(delivery(entry))
        return yield * listed(next)
      }))
    })
  }
}

function indexFor ({ about, channel, state }: Parameters<OutboxStore['list']>[1]): string {
  if (about !== undefined) return 'about'
  if (channel !== undefined) return 'channel'
  return state !== undefined ? 'owner' : 'age'
}

/**
 * Which entries a filter admits: fixed SQL only, and the values for the question marks. It names the index with the
 * fewest of them, sorted newest first: by its own choice, SQLite scans all.
 */
function scope (owner: Id, { about, channel, state }: Parameters<OutboxStore['list']>[1], before: number) {
  const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
  if (about !== undefined) conditions.push(['about = ?', about])
  if (channel !== undefined) conditions.push(['channel = ?', channel])
  if (state !== undefined) conditions.push(['state = ?', state])
  conditions.push(['id < ?', before])
  return {
    index: `outbox_by_${indexFor({ about, channel, state })}`,
    where: conditions.map(([condition]) => condition).join(' and '),
    values: conditions.map(([, value]) => value)
  }
}
