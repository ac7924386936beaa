import { and, desc, eq } from 'drizzle-orm'
import type { Id } from '../../../schema/common.ts'
import type { ImportRecord } from '../../../schema/imports.ts'
import { imports } from '../../../schema/sqlite/imports.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { allOf, type Work } from '../../platform/storage/work.ts'
import { overStorage, storageRoom } from '../../sources/index.ts'
import { summaryOf, type ImportStore } from './store.ts'

/** The kind of the jobs that analyse an import; their subject is the import. */
export const LOOK_INTO = 'import'

/** Maximum imports of an account, and how long their files are stored. */
const MOST_IMPORTS = 50
const KEPT_MICROS = 7 * 86_400_000_000
/** Files deleted in one transaction after they expire. */
const EXPIRED_AT_ONCE = 20

/** Imports in SQLite; files, plans and reports are blobs, which a trigger deletes with their row. */
export function sqliteImportStore (
  { db, clock, jobs, idempotency, eventBus, config }: Kernel, { blobs }: { blobs: Blobs }
): ImportStore {
  const { orm } = db
  const room = storageRoom(db, (tier) => config.STORAGE_LIMITS[tier])
  const waiting = db.objects<[Id], { count: number, bytes: number }>(
    'select count(*) as count, coalesce(sum(iif(expires_at is null, 0, bytes)), 0) as bytes from imports where owner_id = ?')
  const expired = db.column<[string], Id>(
    `select id from imports indexed by imports_by_expiry where expires_at < ? order by expires_at limit ${EXPIRED_AT_ONCE}`)
  const now = () => timestamp(clock.micros())
  const find = (id: Id) => db.get(orm.select().from(imports).where(eq(imports.id, id)))
  const mine = (owner: Id, id: Id) =>
    db.get(orm.select().from(imports).where(and(eq(imports.id, id), eq(imports.owner, owner))))
  function * set (id: Id, next: Partial<ImportRecord>): Work<ImportRecord> {
    return (yield * db.get(
      orm.update(imports).set({ ...next, updated_at: now() }).where(eq(imports.id, id)).returning()
    ))!
  }

  function * demand (owner: Id, asked: number) {
    const { count, bytes } = (yield * waiting.get(owner))!
    if (count >= MOST_IMPORTS) {
      throw new Refusal('limit_reached', `An account may have ${MOST_IMPORTS} imports. Delete one that is not needed.`)
    }
    const { used, allowed } = yield * room(owner)
    if (used + bytes + asked > allowed) throw overStorage({ used: used + bytes, allowed }, asked)
  }

  return {
    list: async (owner) => db.read(() =>
      db.all(orm.select().from(imports).where(eq(imports.owner, owner)).orderBy(desc(imports.id)))),
    get: async (owner, id) => db.read(() => mine(owner, id)),
    demandRoom: async (owner, bytes) => db.read(() => demand(owner, bytes)),
    add: (owner, files, from, once) => db.atomically(function * () {
      return yield * idempotency.run(owner, once, function * () {
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
        yield * demand(owner, bytes)
        if (!(yield * allOf(files, ({ blob }) => blobs.keep(blob)))) {
          throw new Refusal('unavailable', 'The server was restarted while this was being sent. Send it again.')
        }
        const at = now()
        const made = yield * db.get(orm.insert(imports).values({
          owner,
          files: files.map(({ name, bytes, blob }) => ({ name: name || 'file', bytes, blob })),
          bytes,
          from,
          state: 'read',
          agents: [],
          expires_at: timestamp(clock.micros() + KEPT_MICROS),
          created_at: at,
          updated_at: at
        }).returning())
        yield * jobs.ask({ kind: LOOK_INTO, subject: made.id, owner })
        return made
      })
    }),
    looked: (id, looked) => db.atomically(function * () {
      const kept = yield * find(id)
      if (kept?.state !== 'read') {
        if ('shown' in looked) for (const blob of [looked.shown, looked.report]) yield * blobs.drop(blob)
        return
      }
      if ('shown' in looked) for (const blob of [looked.shown, looked.report]) yield * blobs.keep(blob)
      yield * set(id, 'error' in looked ? { state: 'failed', ...looked } : { state: 'planned', ...looked })
    }),
    applied: (owner, id, agents) => db.atomically(function * () {
      const kept = yield * mine(owner, id)
      if (!kept) return undefined
      const all = [...new Set([...kept.agents, ...agents])]
      const next = yield * set(id, { state: 'applied', agents: all, applied_at: now() })
      yield * eventBus.publish(...agents.map((agent) => (
        { owner, agent, type: 'import.applied' as const, data: { import: summaryOf(next) } }
      )))
      return next
    }),
    remove: (owner, id) => db.atomically(function * () {
      yield * jobs.drop(LOOK_INTO, id)
      return (yield * db.run(orm.delete(imports).where(and(eq(imports.id, id), eq(imports.owner, owner))))) === 1
    }, { frees: true }),
    waiting: async (id) => db.read(function * () {
      const found = yield * find(id)
      return found?.state === 'read' ? found : undefined
    }),
    expire: () => db.atomically(function * () {
      const ids = yield * expired.all(now())
      for (const id of ids) {
        const kept = (yield * find(id))!
        for (const { blob } of kept.files) yield * blobs.drop(blob)
        yield * set(id, { expires_at: null })
      }
      return ids.length === EXPIRED_AT_ONCE
    }, { frees: true })
  }
}
