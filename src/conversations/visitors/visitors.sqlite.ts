import { hash } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import type { VisitorRecord } from '../../../schema/conversations.ts'
import { visitors } from '../../../schema/sqlite/conversations.ts'
import { hidingDeleted, OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { partOf } from '../../platform/storage/parts.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { sealKept, type Secrets } from '../../platform/storage/secrets.ts'
import { flatMapped, type Work } from '../../platform/storage/work.ts'
import { visitorOf, visitorRow, type VisitorRow } from '../storage/rows.ts'
import type { ConversationWords } from '../storage/words.sqlite.ts'
import type { VisitorStore } from './visitors.ts'

/** Reads one inside an open transaction. */
export function visitorsIn (
  db: Database, secrets: Secrets
): (owner: Id, id: string) => Work<VisitorRecord | undefined> {
  const rows = rowsOf(visitors)
  const one = db.rows<[string, Id], unknown[]>(
      `select ${rows.columns} from visitors where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  return function * (owner, id) {
    const found = yield * one.get(id, owner)
    const row = found && rows.record(found)
    return row && visitorOf(row, yield * sealKept(secrets, row.secret))
  }
}

/** Visitors in SQLite, each sealed with a separate key. */
export function sqliteVisitorStore (
  { db, idempotency, secrets, words }:
  Pick<Kernel, 'db' | 'idempotency' | 'secrets'> & { words: Pick<ConversationWords, 'ofVisitor'> }
): VisitorStore {
  const rows = rowsOf(visitors)
  const select = `select ${rows.columns} from visitors`
  const one = db.rows<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
  const hiding = hidingDeleted(db)
  const ofAgent = db.rows<unknown[], unknown[]>(
      `${select} indexed by visitors_by_agent where owner_id = ? and agent_id = ? and number < ? order by number desc limit ?`
  )
  const ofOwner = db.rows<unknown[], unknown[]>(
      `${select} indexed by visitors_by_owner where owner_id = ? and number < ? order by number desc limit ?`
  )
  const bySubject = db.rows<[Id, string], unknown[]>(`${select} where agent_id = ? and subject = ?`)
  const owns = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const insert = db.objects(`insert into visitors (${rows.columns}) values (${rows.placeholders})`)
  const update = db.objects(
    'update visitors set verified = :verified, last_seen_at = :seen, sealed = :sealed, words = :words where number = :number'
  )

  function * find (owner: Id, id: string): Work<VisitorRow | undefined> {
    const row = yield * one.get(id, owner)
    return row && rows.record(row)
  }
  function * known (row: VisitorRow) { return visitorOf(row, yield * sealKept(secrets, row.secret)) }

  function * add (visitor: VisitorRecord, subject: string | null): Work<VisitorRecord> {
    const secret = yield * secrets.create()
    yield * insert.run(...rows.values({
      ...visitorRow(visitor, yield * sealKept(secrets, secret)),
      subject,
      secret,
      words: yield * words.ofVisitor(
        visitor.owner, visitor
      )
    }))
    return visitor
  }

  function * put (row: VisitorRow, next: VisitorRecord): Work<VisitorRecord> {
    const { sealed, verified, last_seen_at: seen } = visitorRow(next, yield * sealKept(secrets, row.secret))
    yield * update.run({
      number: row.number, sealed, seen, verified: Number(verified), words: yield * words.ofVisitor(row.owner, next)
    })
    return next
  }

  return {
    create: (owner, visitor, once) => db.atomically(function * () {
      if ((yield * owns.get(visitor.agent, owner)) !== 1) return undefined
      return yield * idempotency.run(owner, once, () => add(visitor, null), ({ id }) => `visitors/${id}`)
    }, { of: owner }),
    vouchedFor: (owner, agent, subject, visitor, change) => db.atomically(function * () {
      if ((yield * owns.get(agent, owner)) !== 1) return undefined
      const digest = hash('sha256', `${owner} ${agent} ${subject}`)
      const found = yield * bySubject.get(agent, digest)
      if (!found) return yield * add(change(visitor), digest)
      const row = rows.record(found)
      return yield * put(row, change(yield * known(row)))
    }, { of: owner }),
    get: async (owner, id) => db.read(function * () {
      const row = yield * find(owner, id)
      return row && (yield * known(row))
    }),
    names: async (owner, ids) => db.read(() => flatMapped(ids, function * (id) {
      const row = yield * find(owner, id)
      if (!row) return []
      const { name, place } = yield * known(row)
      return [{ id, name, place }]
    })),
    list: async (owner, { agent }, cursor, limit) => await partOf(db, {
      * read (before, asked) {
        return (
          agent === undefined
            ? (yield * ofOwner.all(owner, before, asked))
            : (yield * ofAgent.all(
                owner, agent, before, asked
              ))
        ).map(rows.record)
      },
      placeOf: ({ number }) => number,
      hiding,
      show: known
    }, cursor === undefined ? undefined : Number(cursor), limit),
    update: (owner, id, change) => db.atomically(function * () {
      const row = yield * find(owner, id)
      return row && (yield * put(row, change(yield * known(row))))
    }, { of: owner })
  }
}
