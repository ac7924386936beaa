import { and, asc, count, eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { ModelProvider, ModelProviderRecord } from '../../schema/models.ts'
import { modelProviders } from '../../schema/sqlite/models.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Provider } from './contract.ts'
import { decideProvider } from './own-provider.ts'
import type { ModelProviderStore } from './store.ts'

/** Accounts' providers in SQLite. */
export function sqliteModelProviderStore ({ db, clock, onceOnly, secrets }: {
  db: Database, clock: Clock, onceOnly: OnceOnly, secrets: Secrets
}): ModelProviderStore {
  const { orm } = db
  const ofOwner = (owner: Id) => orm.select().from(modelProviders).where(eq(modelProviders.owner, owner)).orderBy(asc(modelProviders.id)).all()

  function sealed (key: string | undefined) {
    if (key === undefined) return { secret: null, key: null }
    const secret = secrets.create()
    return { secret, key: secrets.seal(secret)!.close(placeOf(secret), key) }
  }

  function opened ({ secret, key }: ModelProviderRecord): string | null {
    if (secret === null || key === null) return null
    return db.read(() => secrets.seal(secret)?.open(placeOf(secret), key).toString() ?? null)
  }

  return {
    list: async (owner) => db.read(() => ofOwner(owner).map(shown)),

    add: (owner, draft, once) => db.atomically(() => onceOnly.run(owner, once, () => {
      const [{ there } = { there: 0 }] = orm.select({ there: count() }).from(modelProviders).where(eq(modelProviders.owner, owner)).all()
      const { key, ...decided } = decideProvider(draft, there)
      const row = { owner, ...decided, ...sealed(key), created_at: timestamp(clock.micros()) }
      return shown(orm.insert(modelProviders).values(row).returning().get())
    })),

    remove: (owner, provider) => db.atomically(() => {
      const kept = orm.delete(modelProviders).where(and(eq(modelProviders.id, provider), eq(modelProviders.owner, owner))).returning().get()
      if (kept && kept.secret !== null) secrets.destroy(kept.secret)
      return kept !== undefined
    }, { frees: true }),

    offers: (owner) => db.read(() => ofOwner(owner)).map((kept) => ({ models: kept.models, provider: providerOf(kept, () => opened(kept)) }))
  }
}

/** Where a key is sealed for. */
const placeOf = (secret: Id) => `model_providers.key ${secret}`

function shown ({ owner: _owner, secret: _secret, key: _key, ...provider }: ModelProviderRecord): ModelProvider {
  return provider
}

function providerOf ({ id, provider, url }: ModelProviderRecord, key: () => string | null): Provider {
  return { id: `account-${id}`, kind: provider === 'anthropic' ? 'anthropic' : 'openai', url, key, isOperators: false }
}
