import { and, asc, count, eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { Webhook, WebhookRecord } from '../../schema/webhooks.ts'
import { webhooks } from '../../schema/sqlite/webhooks.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { WebhookStore } from './store.ts'
import { testEvent } from './events.ts'
import { BOTH_SIGN_MICROS, changedWebhook, decideWebhook, newSecret } from './webhook.ts'

/** Accounts' webhooks in SQLite, their secrets sealed for their rows. */
export function sqliteWebhookStore (
  { db, clock, idempotency, vault, outbox, check }:
  Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'vault' | 'outbox' | 'check'>
): WebhookStore {
  const { orm } = db
  const mine = (owner: Id, id: Id) => and(eq(webhooks.id, id), eq(webhooks.owner, owner))
  const find = (owner: Id, id: Id) => db.get(orm.select().from(webhooks).where(mine(owner, id)))
  function * set (id: Id, next: Partial<WebhookRecord>) {
    return (yield * db.get(orm
      .update(webhooks)
      .set({ ...next, updated_at: timestamp(clock.micros()) })
      .where(eq(webhooks.id, id))
      .returning()))!
  }

  function * withSecret (kept: WebhookRecord, before: Partial<WebhookRecord>) {
    const secret = newSecret()
    return { ...shown(yield * set(kept.id, { ...before, secret: vault.close(placeOf(kept.id), secret) })), secret }
  }

  return {
    list: async (owner) =>
      db.read(function * () {
        const all = orm.select().from(webhooks).where(eq(webhooks.owner, owner)).orderBy(asc(webhooks.id))
        return (yield * db.all(all)).map(shown)
      }),
    get: async (owner, id) =>
      db.read(function * () {
        const kept = yield * find(owner, id)
        return kept && shown(kept)
      }),

    add: (owner, draft, once) =>
      db.atomically(function * () {
        return yield * idempotency.run(owner, once, function * () {
          const [{ there } = { there: 0 }] = yield * db.all(orm
            .select({ there: count() })
            .from(webhooks)
            .where(eq(webhooks.owner, owner)))
          const decided = decideWebhook(draft, there, check)
          const at = timestamp(clock.micros())
          const row = {
            owner,
            ...decided,
            secret: Buffer.alloc(0),
            previous_secret: null,
            previous_until: null,
            created_at: at,
            updated_at: at
          }
          // The secret is sealed for the row's number.
          return yield * withSecret(yield * db.get(orm.insert(webhooks).values(row).returning()), {})
        })
      }),

    change: (owner, id, patch, match) => db.atomically(function * () {
      const kept = yield * find(owner, id)
      if (!kept) return undefined
      match?.(shown(kept))
      return shown(yield * set(id, changedWebhook(patch, check)))
    }),

    rotate: (owner, id, once) =>
      db.atomically(function * () {
        const kept = yield * find(owner, id)
        return (
          kept &&
          (yield * idempotency.run(owner, once, () =>
            withSecret(kept, { previous_secret: kept.secret, previous_until: clock.micros() + BOTH_SIGN_MICROS })
          ))
        )
      }),

    remove: (owner, id, match) =>
      db.atomically(
        function * () {
          const kept = yield * find(owner, id)
          if (!kept) return false
          match?.(shown(kept))
          yield * db.run(orm.delete(webhooks).where(mine(owner, id)))
          yield * outbox.drop(`webhooks/${id}`)
          return true
        },
        { frees: true }
      ),

    test: (owner, id, once) =>
      db.atomically(
        function * () {
          return (yield * find(owner, id)) && (yield * idempotency.run(owner, once, function * () {
            return (yield * outbox.add(testEvent(owner, id, clock)))[0]!.id
          }))
        }
      ),

    signed: async (owner, id) =>
      db.read(function * () {
        const kept = yield * find(owner, id)
        if (!kept?.is_active) return undefined
        const both =
          kept.previous_secret && (kept.previous_until ?? 0) > clock.micros()
            ? [kept.secret, kept.previous_secret]
            : [kept.secret]
        return { url: kept.url, secrets: both.map((sealed) => vault.open(placeOf(id), sealed)) }
      })
  }
}

/** What a secret is sealed for. */
const placeOf = (id: Id) => `webhooks.secret ${id}`

/** The key in files is set after creation, and read by exports only. */
function shown ({
  owner: _owner, secret: _secret, previous_secret: _previous, previous_until: until, key: _key, ...webhook
}: WebhookRecord & { key?: unknown }): Webhook {
  return { ...webhook, previous_secret_until: until === null ? null : timestamp(until) }
}
