import { hash } from 'node:crypto'
import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import type { VisitorRecord } from '../../../schema/conversations.ts'
import { visitors } from '../../../schema/sqlite/conversations.ts'
import { hidingDeleted, OF_KEPT_AGENT } from '../../agents/index.ts'
import { partOf } from '../../platform/storage/parts.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../../platform/storage/sqlite/once.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { sealKept, type Secrets } from '../../platform/storage/secrets.ts'
import { visitorOf, visitorRow, type VisitorRow } from '../storage/rows.ts'
import type { ConversationWords } from '../storage/words.sqlite.ts'
import type { VisitorStore } from './visitors.ts'

/** Reads one inside a transaction that is open. */
export function visitorsIn (
  raw: BetterSqlite3.Database, secrets: Secrets
): (owner: Id, id: string) => VisitorRecord | undefined {
  const rows = rowsOf(visitors)
  const one = raw
    .prepare<[string, Id], unknown[]>(
      `select ${rows.columns} from visitors where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
    )
    .raw()
  return (owner, id) => {
    const found = one.get(id, owner)
    const row = found && rows.record(found)
    return row && visitorOf(row, sealKept(secrets, row.secret))
  }
}

/** Visitors in SQLite, each sealed with a key of their own. */
export function sqliteVisitorStore ({ db, onceOnly, secrets, words }: {
  db: Database, onceOnly: OnceOnly, secrets: Secrets, words: Pick<ConversationWords, 'ofVisitor'>
}): VisitorStore {
  const { raw } = db
  const rows = rowsOf(visitors)
  const select = `select ${rows.columns} from visitors`
  const one = raw.prepare<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`).raw()
  const hiding = hidingDeleted(raw)
  const ofAgent = raw
    .prepare<unknown[], unknown[]>(
      `${select} indexed by visitors_by_agent where owner_id = ? and agent_id = ? and number < ? order by number desc limit ?`
    )
    .raw()
  const ofOwner = raw
    .prepare<unknown[], unknown[]>(
      `${select} indexed by visitors_by_owner where owner_id = ? and number < ? order by number desc limit ?`
    )
    .raw()
  const bySubject = raw.prepare<[Id, string], unknown[]>(`${select} where agent_id = ? and subject = ?`).raw()
  const owns = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const insert = raw.prepare(`insert into visitors (${rows.columns}) values (${rows.placeholders})`)
  const update = raw.prepare(
    'update visitors set verified = :verified, last_seen_at = :seen, sealed = :sealed, words = :words where number = :number'
  )

  const find = (owner: Id, id: string): VisitorRow | undefined => {
    const row = one.get(id, owner)
    return row && rows.record(row)
  }
  const known = (row: VisitorRow) => visitorOf(row, sealKept(secrets, row.secret))

  function add (visitor: VisitorRecord, subject: string | null): VisitorRecord {
    const secret = secrets.create()
    insert.run(...rows.values({
      ...visitorRow(visitor, sealKept(secrets, secret)), subject, secret, words: words.ofVisitor(visitor.owner, visitor)
    }))
    return visitor
  }

  function put (row: VisitorRow, next: VisitorRecord): VisitorRecord {
    const { sealed, verified, last_seen_at: seen } = visitorRow(next, sealKept(secrets, row.secret))
    update.run({
      number: row.number, sealed, seen, verified: Number(verified), words: words.ofVisitor(row.owner, next)
    })
    return next
  }

  return {
    create: (owner, visitor, once) => db.atomically(() => {
      if (owns.get(visitor.agent, owner) !== 1) return undefined
      return onceOnly.run(owner, once, () => add(visitor, null), ({ id }) => `visitors/${id}`)
    }),
    vouchedFor: (owner, agent, subject, visitor, change) => db.atomically(() => {
      if (owns.get(agent, owner) !== 1) return undefined
      const digest = hash('sha256', `${owner} ${agent} ${subject}`)
      const found = bySubject.get(agent, digest)
      if (!found) return add(change(visitor), digest)
      const row = rows.record(found)
      return put(row, change(known(row)))
    }),
    get: async (owner, id) => db.read(() => {
      const row = find(owner, id)
      return row && known(row)
    }),
    names: async (owner, ids) => db.read(() => ids.flatMap((id) => {
      const row = find(owner, id)
      return row ? [{ id, name: known(row).name }] : []
    })),
    list: async (owner, { agent }, cursor, limit) => await partOf(db, {
      read: (before, asked) => (
        agent === undefined ? ofOwner.all(owner, before, asked) : ofAgent.all(owner, agent, before, asked)
      ).map(rows.record),
      placeOf: ({ number }) => number,
      hiding,
      show: known
    }, cursor === undefined ? undefined : Number(cursor), limit),
    update: (owner, id, change) => db.atomically(() => {
      const row = find(owner, id)
      return row && put(row, change(known(row)))
    })
  }
}
