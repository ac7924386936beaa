import { and, count, eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { ModelProvider, ModelProviderRecord } from '../../schema/models.ts'
import { modelProviders } from '../../schema/sqlite/models.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Seal } from '../platform/storage/secrets.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Provider } from './contract.ts'
import { decideProvider } from './own-provider.ts'
import type { ModelProviderStore } from './store.ts'

/**
 * Accounts' providers in SQLite. A key is sealed with agenthall.key, so that a copy of the file alone cannot decrypt
 * it, and again with a separate secret, so that nothing can once it is deleted.
 */
export function sqliteModelProviderStore (
  { db, clock, idempotency, secrets, vault }: Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'secrets' | 'vault'>
): ModelProviderStore {
  const { orm } = db
  const rows = rowsOf(modelProviders)
  const providers = db.rows<[Id], unknown[]>(`select ${rows.columns} from model_providers where owner_id = ? order by id`)
  // Every answer asks.
  function * ofOwner (owner: Id): Work<ModelProviderRecord[]> { return (yield * providers.all(owner)).map(rows.record) }

  function * sealed (key: string | undefined) {
    if (key === undefined) return { secret: null, key: null }
    const secret = yield * secrets.create()
    return { secret, key: sealedIn(secret, (yield * secrets.seal(secret))!, key) }
  }

  function * opened ({ secret, key }: ModelProviderRecord): Work<string | null> {
    if (secret === null || key === null) return null
    const seal = yield * secrets.seal(secret)
    if (!seal) return null
    return keyBefore(secret, seal, key) ?? vault.open(placeOf(secret), seal.open(vaultedAt(secret), key))
  }

  function sealedIn (secret: Id, seal: Seal, key: string): Buffer {
    return seal.close(vaultedAt(secret), vault.close(placeOf(secret), key))
  }

  return {
    list: async (owner) => db.read(function * () { return (yield * ofOwner(owner)).map(shown) }),

    add: (owner, draft, once) =>
      db.atomically(function * () {
        return yield * idempotency.run(owner, once, function * () {
          const [{ there } = { there: 0 }] = yield * db.all(orm
            .select({ there: count() })
            .from(modelProviders)
            .where(eq(modelProviders.owner, owner)))
          const { key, ...decided } = decideProvider(draft, there)
          const row = { owner, ...decided, ...yield * sealed(key), created_at: timestamp(clock.micros()) }
          return shown(yield * db.get(orm.insert(modelProviders).values(row).returning()))
        })
      }),

    remove: (owner, provider) =>
      db.atomically(
        function * () {
          const kept = yield * db.get(orm
            .delete(modelProviders)
            .where(and(eq(modelProviders.id, provider), eq(modelProviders.owner, owner)))
            .returning())
          if (kept && kept.secret !== null) yield * secrets.destroy(kept.secret)
          return kept !== undefined
        },
        { frees: true }
      ),

    reseal: () =>
      db.atomically(function * () {
        for (const { id, secret, key } of yield * db.all(orm.select().from(modelProviders))) {
          if (secret === null || key === null) continue
          const seal = yield * secrets.seal(secret)
          const plain = seal && keyBefore(secret, seal, key)
          if (seal && plain !== undefined) {
            yield * db.run(orm
              .update(modelProviders)
              .set({
                key: sealedIn(secret, seal, plain)
              })
              .where(eq(modelProviders.id, id)))
          }
        }
      }),

    offers: async (owner) =>
      (await db.read(() => ofOwner(owner))).map((kept) => (
        { name: kept.name, models: kept.models, provider: providerOf(kept, () => db.read(() => opened(kept))) }
      ))
  }
}

/** Associated data of a sealed key; and of its own secret, once agenthall.key has sealed it. */
const placeOf = (secret: Id) => `model_providers.key ${secret}`
const vaultedAt = (secret: Id) => `${placeOf(secret)} vaulted`

/** A key that versions before 0.5 sealed, with its own secret only; undefined if agenthall.key has sealed it since. */
function keyBefore (secret: Id, seal: Seal, key: Uint8Array): string | undefined {
  try {
    return seal.open(placeOf(secret), key).toString()
  } catch {
    return undefined
  }
}

function shown ({ owner: _owner, secret: _secret, key: _key, ...provider }: ModelProviderRecord): ModelProvider {
  return provider
}

function providerOf ({ id, provider, url }: ModelProviderRecord, key: Provider['key']): Provider {
  return { id: `account-${id}`, kind: provider === 'anthropic' ? 'anthropic' : 'openai', url, key, isOperators: false }
}
