import type { AuditEvent, AuditRecord } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { AuditContext } from '../platform/storage/audit.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { inGroups } from '../platform/storage/work.ts'
import { BEGINNING, faultOf, hashOf } from './chain.ts'
import type { AuditStore, ChainReport } from './store.ts'

const HOUR_MS = 3_600_000
/** Maximum reads within the hour that are remembered. */
const MAX_READINGS = 10_000
/** Events that are read at a time when a log is verified. */
const BATCH_SIZE = 500
/** Events that are added with one statement. */
const ADDED_AT_ONCE = 100

const COLUMNS =
  'id, owner_id as owner, at, user_id as user, by, key_id as key, action, target, fields, previous, hash'

/** A row as stored: the fields as JSON. */
type Row = Omit<AuditRecord, 'fields'> & { fields: string }

interface ListQuery {
  owner: Id, user?: Id | null | undefined, target?: string | null | undefined, before: number, limit: number
}

/** The audit logs in SQLite. `db`: the database itself, which records nothing. */
export function sqliteAuditStore ({ db, clock }: Pick<Kernel, 'db' | 'clock'>): AuditStore {
  const head = db.column<[Id], string>(
    'select hash from audit_events indexed by audit_events_by_owner where owner_id = ? order by id desc limit 1'
  )
  const batch = db.objects<[Id, Id], Row>(`
    select ${COLUMNS} from audit_events indexed by audit_events_by_owner
    where owner_id = ? and id > ? order by id limit ${BATCH_SIZE}`)
  const lists = listsIn(db)
  const insert = db.objects(`
    insert into audit_events (owner_id, at, user_id, by, key_id, action, target, fields, previous, hash)
    values (:owner, :at, :user, :by, :key, :action, :target, :fields, :previous, :hash)`)
  const insertAll = db.objects<[string]>(`
    insert into audit_events (owner_id, at, user_id, by, key_id, action, target, fields, previous, hash)
    select cast(value ->> 'owner' as integer), value ->> 'at', cast(value ->> 'user' as integer), value ->> 'by',
      cast(value ->> 'key' as integer), value ->> 'action',
      value ->> 'target', value ->> 'fields', value ->> 'previous', value ->> 'hash'
    from json_each(?) order by key`)
  const readings = new Map<string, number>()

  function * add (
    { owner, user, by, key, action, target: at, madeId, fields }: AuditContext, made?: unknown
  ) {
    const id = made === undefined ? undefined : madeId?.(made)
    const target = id === undefined ? at : `${at}/${id}`
    const event = {
      owner,
      at: timestamp(clock.micros()),
      user,
      by,
      key,
      action,
      target,
      fields,
      previous: (yield * head.get(owner)) ?? BEGINNING
    }
    yield * insert.run({ ...event, fields: JSON.stringify(fields), hash: hashOf(event) })
  }

  function * addAll (contexts: readonly AuditContext[]) {
    if (contexts.length === 0) return
    const at = timestamp(clock.micros())
    let previous = (yield * head.get(contexts[0]!.owner)) ?? BEGINNING
    for (const some of inGroups(contexts, ADDED_AT_ONCE)) {
      const events = some.map(({ owner, user, by, key, action, target, fields }) => {
        const event = { owner, at, user, by, key, action, target, fields, previous }
        previous = hashOf(event)
        return { ...event, fields: JSON.stringify(fields), hash: previous }
      })
      yield * insertAll.run(JSON.stringify(events))
    }
  }

  // Records of who did something must not be lost for lack of space, so it is let through like a removal.
  const record = (context: AuditContext) => db.atomically(() => add(context), { frees: true })

  async function * eventsOf (owner: Id): AsyncGenerator<AuditRecord[]> {
    for (let last = 0; ;) {
      const rows = await db.read(() => batch.all(owner, last))
      if (rows.length === 0) return
      yield rows.map(recordOf)
      last = rows.at(-1)!.id
    }
  }

  return {
    add,
    addAll,
    record,
    async recordReading (context) {
      const name = JSON.stringify([context.owner, context.user, context.key, context.action, context.target])
      const now = clock.monotonic()
      const last = readings.get(name)
      if (last !== undefined && now - last < HOUR_MS) return
      await record(context)
      if (readings.size >= MAX_READINGS) readings.clear()
      readings.set(name, now)
    },
    async list (owner, { user, target }, after, limit) {
      const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
      const rows = await db.read(() => lists.all({ owner, user, target, before, limit: limit + 1 }))
      const items = rows.slice(0, limit).map(shown)
      return { items, next: rows.length > limit ? String(items.at(-1)!.id) : null }
    },
    async verify (owner) {
      const report: ChainReport = { events: 0, first: null, head: null, fault: null }
      for await (const events of eventsOf(owner)) {
        for (const event of events) {
          const kind = faultOf(event, report.head ?? undefined)
          if (kind) report.fault ??= { event: event.id, at: event.at, kind }
          report.first ??= event.id
          report.events++
          report.head = event.hash
        }
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      return report
    }
  }
}

/** The newest events of an account; those of a user, or about a target, have a separate index. */
function listsIn (db: Database) {
  const listBy = (index: string, where: string) => db.objects<[ListQuery], Row & { name: string | null }>(`
    select ${COLUMNS}, (select name from users where users.id = user_id) as name from audit_events indexed by ${index}
    where owner_id = :owner and ${where} and id < :before order by id desc limit :limit`)
  const all = listBy('audit_events_by_owner', 'true')
  const ofUser = listBy('audit_events_by_user', 'user_id = :user and (target = :target or :target is null)')
  const ofTarget = listBy('audit_events_by_target', 'target = :target')
  return {
    * all ({ user = null, target = null, ...rest }: ListQuery) {
      const ofOne = target === null ? all : ofTarget
      return yield * (user === null ? ofOne : ofUser).all({ user, target, ...rest })
    }
  }
}

function recordOf ({ fields, ...row }: Row): AuditRecord {
  return { ...row, fields: fieldsIn(fields) }
}

/** The names of fields in a row. What was not written by this program is a name itself: its hash shows the change. */
function fieldsIn (text: string): string[] {
  try {
    const names: unknown = JSON.parse(text)
    if (Array.isArray(names) && names.every((one) => typeof one === 'string')) return names
  } catch { /* Somebody has written to the file. */ }
  return [text]
}

function shown ({ name, ...row }: Row & { name: string | null }): AuditEvent {
  const { owner: _owner, user, ...event } = recordOf(row)
  return { ...event, user: user === null ? null : { id: user, name } }
}
