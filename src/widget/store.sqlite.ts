import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { WidgetKey, WidgetKeyRecord } from '../../schema/widget.ts'
import { agents } from '../../schema/sqlite/agents.ts'
import { widgetKeys } from '../../schema/sqlite/widget.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { changesOf } from '../platform/storage/changes.ts'
import type { Work } from '../platform/storage/work.ts'
import { changedKey, decideKey, withIdentitySecret, withoutIdentitySecret, type KeySecrets } from './keys.ts'
import type { KnownKey, WidgetStore } from './store.ts'

const isKept = sql.raw(OF_KEPT_AGENT)

/** Maximum number of cached keys; one more costs a query. */
const REMEMBERED = 10_000

/** Widget keys in SQLite; the secrets that sign tokens and identities are encrypted. */
export function sqliteWidgetStore ({
  db, clock, secrets, idempotency, neighbours
}: Pick<Kernel, 'db' | 'clock' | 'secrets' | 'idempotency' | 'neighbours'>): WidgetStore {
  const { orm } = db
  const faceOf = orm
    .select({
      status: agents.status,
      appearance: agents.appearance,
      behavior: agents.behavior,
      privacy_url: agents.privacy_url,
      gdpr_settings: agents.gdpr_settings,
      translations: agents.translations,
      is_white_label: agents.is_white_label
    })
    .from(agents)
    .where(and(eq(agents.id, sql.placeholder('agent')), eq(agents.owner, sql.placeholder('owner'))))
    .prepare()
  const keptOf = orm
    .select({ id: widgetKeys.id })
    .from(widgetKeys)
    .where(and(eq(widgetKeys.id, sql.placeholder('key')), isKept))
    .prepare()
  const known = new Map<string, KnownKey | undefined>()
  let origins: Set<string> | undefined
  const changes = changesOf(db, neighbours, 'widget_keys')
  let generation = -1

  function * owns (owner: Id, agent: Id) {
    return (yield * db.get(orm
      .select({ id: agents.id })
      .from(agents)
      .where(and(eq(agents.id, agent), eq(agents.owner, owner))))) !== undefined
  }
  function * keysOf (agent: Id) {
    const all = orm.select({ there: count() }).from(widgetKeys).where(eq(widgetKeys.agent, agent))
    return (yield * db.get(all))?.there ?? 0
  }
  const isKey = (owner: Id, agent: Id, key: string) =>
    and(eq(widgetKeys.id, key), eq(widgetKeys.agent, agent), eq(widgetKeys.owner, owner), isKept)
  const one = (owner: Id, agent: Id, key: string) =>
    db.get(orm
      .select()
      .from(widgetKeys)
      .where(isKey(owner, agent, key)))

  /** Marks a change of them, inside its transaction. */
  const moved = () => changes.moved()

  function * close (id: string, secret: Id, content: KeySecrets) {
    return (yield * secrets.seal(secret))!.close(`widget_keys/${id}`, JSON.stringify(content))
  }
  function * open ({ id, secret, sealed }: WidgetKeyRecord): Work<KeySecrets | undefined> {
    const text = (yield * secrets.seal(secret))?.open(`widget_keys/${id}`, sealed)
    return text && (JSON.parse(text.toString()) as KeySecrets)
  }

  /** Writes an updated key, and clears the cache of all of them. */
  function * put (row: WidgetKeyRecord, next: WidgetKeyRecord, content?: KeySecrets): Work<WidgetKey> {
    yield * moved()
    const sealed = content && (yield * close(row.id, row.secret, content))
    const changed = { ...next, updated_at: timestamp(clock.micros()), ...(sealed && { sealed }) }
    yield * db.run(orm.update(widgetKeys).set(changed).where(eq(widgetKeys.id, row.id)))
    return shown(changed)
  }

  /** The cache is valid only while nothing was changed, here or in another process. */
  function refresh () {
    const now = changes.generation()
    if (now === generation) return
    generation = now
    known.clear()
    origins = undefined
  }

  async function lookUp (key: string): Promise<KnownKey | undefined> {
    const row = await db.read(() => db.get(orm.select().from(widgetKeys).where(and(eq(widgetKeys.id, key), isKept))))
    const content = row && await db.read(() => open(row))
    return row && content && { id: row.id, owner: row.owner, agent: row.agent, origins: row.origins, secrets: content }
  }

  return {
    list: async (owner, agent) =>
      db.read(function * () {
        return (yield * owns(owner, agent))
          ? (yield * db.all(orm
              .select()
              .from(widgetKeys)
              .where(and(eq(widgetKeys.agent, agent), eq(widgetKeys.owner, owner)))
              .orderBy(asc(widgetKeys.created_at))))
              .map(shown)
          : undefined
      }),
    create: (owner, agent, draft, once) =>
      db.atomically(function * () {
        return (yield * owns(owner, agent))
          ? (yield * idempotency.run(owner, once, function * () {
              yield * moved()
              const { key, secrets: content } = decideKey(draft, yield * keysOf(agent))
              const at = timestamp(clock.micros())
              const secret = yield * secrets.create()
              const sealed = yield * close(key.id, secret, content)
              return shown(
                yield * db.get(orm
                  .insert(widgetKeys)
                  .values({
                    ...key, agent, owner, secret, sealed, created_at: at, updated_at: at
                  })
                  .returning())
              )
            }))
          : undefined
      }),
    update: (owner, agent, key, patch, match) =>
      db.atomically(function * () {
        const row = yield * one(owner, agent, key)
        if (!row) return undefined
        match?.(shown(row))
        return yield * put(row, changedKey(row, patch))
      }),
    remove: (owner, agent, key, match) =>
      db.atomically(
        function * () {
          const row = yield * one(owner, agent, key)
          if (!row) return false
          match?.(shown(row))
          yield * moved()
          yield * db.run(orm.delete(widgetKeys).where(isKey(owner, agent, key)))
          return true
        },
        { frees: true }
      ),
    addSecret: (owner, agent, key, once) =>
      db.atomically(function * () {
        const row = yield * one(owner, agent, key)
        const content = row && (yield * open(row))
        if (!row || !content) return undefined
        return yield * idempotency.run(owner, once, function * () {
          const { key: next, secrets: changed, made } = withIdentitySecret(row, content, timestamp(clock.micros()))
          yield * put(row, next, changed)
          return made
        })
      }),
    removeSecret: (owner, agent, key, secret) =>
      db.atomically(function * () {
        const row = yield * one(owner, agent, key)
        const content = row && (yield * open(row))
        const less = row && content && withoutIdentitySecret(row, content, secret)
        if (less) yield * put(row, less.key, less.secrets)
        return less !== undefined
      }),
    face: async (owner, agent) => db.read(() => db.get(faceOf, { owner, agent })),
    async find (key) {
      refresh()
      const remembered = known.get(key)
      // Deleting an agent does not count as a change of its keys.
      if (remembered) return await db.read(() => db.get(keptOf, { key })) ? remembered : undefined
      if (known.has(key)) return undefined
      if (known.size >= REMEMBERED) known.clear()
      const found = await lookUp(key)
      known.set(key, found)
      return found
    },
    async isKnownOrigin (origin) {
      refresh()
      origins ??= new Set(
        (await db.read(() => db.all(orm.select({ origins: widgetKeys.origins }).from(widgetKeys).where(isKept))))
          .flatMap((row) => row.origins)
      )
      return origins.has(origin)
    }
  }
}

function shown ({ owner: _owner, secret: _secret, sealed: _sealed, ...key }: WidgetKeyRecord): WidgetKey {
  return key
}
