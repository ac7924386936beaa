import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { WidgetKey, WidgetKeyRecord } from '../../schema/widget.ts'
import { agents } from '../../schema/sqlite/agents.ts'
import { widgetKeys } from '../../schema/sqlite/widget.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import { changedKey, decideKey, withIdentitySecret, withoutIdentitySecret, type KeySecrets } from './keys.ts'
import type { KnownKey, WidgetStore } from './store.ts'

const isKept = sql.raw(OF_KEPT_AGENT)

/** Keys remembered; one more costs a query. */
const REMEMBERED = 10_000

/** Keys of widgets in SQLite; what tokens and identities are signed with is sealed. */
export function sqliteWidgetStore ({
  db, clock, secrets, onceOnly
}: {
  db: Database, clock: Clock, secrets: Secrets, onceOnly: OnceOnly
}): WidgetStore {
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
  let generation = -1
  let changes = 0

  const owns = (owner: Id, agent: Id) =>
    orm
      .select({ id: agents.id })
      .from(agents)
      .where(and(eq(agents.id, agent), eq(agents.owner, owner)))
      .get() !== undefined
  const keysOf = (agent: Id) =>
    orm.select({ there: count() }).from(widgetKeys).where(eq(widgetKeys.agent, agent)).get()?.there ?? 0
  const isKey = (owner: Id, agent: Id, key: string) =>
    and(eq(widgetKeys.id, key), eq(widgetKeys.agent, agent), eq(widgetKeys.owner, owner), isKept)
  const one = (owner: Id, agent: Id, key: string) =>
    orm
      .select()
      .from(widgetKeys)
      .where(isKey(owner, agent, key))
      .get()

  const close = (id: string, secret: Id, content: KeySecrets) =>
    secrets.seal(secret)!.close(`widget_keys/${id}`, JSON.stringify(content))
  function open ({ id, secret, sealed }: WidgetKeyRecord): KeySecrets | undefined {
    const text = secrets.seal(secret)?.open(`widget_keys/${id}`, sealed)
    return text && (JSON.parse(text.toString()) as KeySecrets)
  }

  /** Writes a key as it becomes, and forgets what was remembered of all of them. */
  function put (row: WidgetKeyRecord, next: WidgetKeyRecord, content?: KeySecrets): WidgetKey {
    changes++
    const changed = {
      ...next, updated_at: timestamp(clock.micros()), ...(content && { sealed: close(row.id, row.secret, content) })
    }
    orm.update(widgetKeys).set(changed).where(eq(widgetKeys.id, row.id)).run()
    return shown(changed)
  }

  /** What was remembered counts only while nobody has changed anything, here or in another process. */
  function refresh () {
    const now = db.generation() + changes * 2 ** 32
    if (now === generation) return
    generation = now
    known.clear()
    origins = undefined
  }

  function lookUp (key: string): KnownKey | undefined {
    const row = db.read(() => orm.select().from(widgetKeys).where(and(eq(widgetKeys.id, key), isKept)).get())
    const content = row && db.read(() => open(row))
    return row && content && { id: row.id, owner: row.owner, agent: row.agent, origins: row.origins, secrets: content }
  }

  return {
    list: async (owner, agent) =>
      db.read(() =>
        owns(owner, agent)
          ? orm
            .select()
            .from(widgetKeys)
            .where(and(eq(widgetKeys.agent, agent), eq(widgetKeys.owner, owner)))
            .orderBy(asc(widgetKeys.created_at))
            .all()
            .map(shown)
          : undefined
      ),
    create: (owner, agent, draft, once) =>
      db.atomically(() =>
        owns(owner, agent)
          ? onceOnly.run(owner, once, () => {
            changes++
            const { key, secrets: content } = decideKey(draft, keysOf(agent))
            const at = timestamp(clock.micros())
            const secret = secrets.create()
            return shown(
              orm
                .insert(widgetKeys)
                .values({
                  ...key, agent, owner, secret, sealed: close(key.id, secret, content), created_at: at, updated_at: at
                })
                .returning()
                .get()
            )
          })
          : undefined
      ),
    update: (owner, agent, key, patch, match) =>
      db.atomically(() => {
        const row = one(owner, agent, key)
        if (!row) return undefined
        match?.(shown(row))
        return put(row, changedKey(row, patch))
      }),
    remove: (owner, agent, key, match) =>
      db.atomically(
        () => {
          const row = one(owner, agent, key)
          if (!row) return false
          match?.(shown(row))
          changes++
          orm.delete(widgetKeys).where(isKey(owner, agent, key)).run()
          return true
        },
        { frees: true }
      ),
    addSecret: (owner, agent, key, once) =>
      db.atomically(() => {
        const row = one(owner, agent, key)
        const content = row && open(row)
        if (!row || !content) return undefined
        return onceOnly.run(owner, once, () => {
          const { key: next, secrets: changed, made } = withIdentitySecret(row, content, timestamp(clock.micros()))
          put(row, next, changed)
          return made
        })
      }),
    removeSecret: (owner, agent, key, secret) =>
      db.atomically(() => {
        const row = one(owner, agent, key)
        const content = row && open(row)
        const less = row && content && withoutIdentitySecret(row, content, secret)
        if (less) put(row, less.key, less.secrets)
        return less !== undefined
      }),
    face: async (owner, agent) => db.read(() => faceOf.get({ owner, agent })),
    find (key) {
      refresh()
      const remembered = known.get(key)
      // Of an agent that was deleted meanwhile nobody has changed the key.
      if (remembered) return db.read(() => keptOf.get({ key })) ? remembered : undefined
      if (known.has(key)) return undefined
      if (known.size >= REMEMBERED) known.clear()
      const found = lookUp(key)
      known.set(key, found)
      return found
    },
    isKnownOrigin (origin) {
      refresh()
      origins ??= new Set(
        db
          .read(() => orm.select({ origins: widgetKeys.origins }).from(widgetKeys).where(isKept).all())
          .flatMap((row) => row.origins)
      )
      return origins.has(origin)
    }
  }
}

function shown ({ owner: _owner, secret: _secret, sealed: _sealed, ...key }: WidgetKeyRecord): WidgetKey {
  return key
}
