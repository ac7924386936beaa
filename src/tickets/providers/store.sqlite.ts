import { and, asc, count, eq, ne } from 'drizzle-orm'
import { timingSafeEqual } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import { ticketingProviders } from '../../../schema/sqlite/tickets.ts'
import type { ProviderCredentials, TicketingProvider, TicketingProviderRecord } from '../../../schema/tickets.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import { withChange } from '../../platform/merge.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { OpenProvider, TicketingProviderStore } from '../store.ts'
import { checkProvider } from './provider.ts'

/** What the store needs. `renameInAgents`: keeps agents on a renamed provider; runs inside the same transaction. */
export interface ProviderStoreNeeds extends Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'vault' | 'check'> {
  renameInAgents: (owner: Id, from: string, to: string) => Work<void>
}

/** Accounts' ticketing providers in SQLite, their credentials sealed for their rows. */
export function sqliteTicketingProviderStore ({
  db, clock, idempotency, vault, check, renameInAgents
}: ProviderStoreNeeds): TicketingProviderStore {
  const { orm } = db
  const table = ticketingProviders
  const mine = (owner: Id, id: Id) => and(eq(table.id, id), eq(table.owner, owner))
  const find = (owner: Id, id: Id) => db.get(orm.select().from(table).where(mine(owner, id)))
  const ofOwner = (owner: Id) => db.all(orm.select().from(table).where(eq(table.owner, owner)).orderBy(asc(table.id)))
  const placeOf = (id: Id) => `ticketing_providers.credentials ${id}`
  const tokenOf = (id: Id) => `${id}-${vault.mac('ticketing webhook', String(id)).toString('base64url').slice(0, 32)}`
  const open = ({ id, owner, name, kind, settings, credentials }: TicketingProviderRecord): OpenProvider => ({
    id,
    owner,
    name,
    kind,
    settings,
    credentials: JSON.parse(vault.open(placeOf(id), credentials)) as ProviderCredentials
  })

  /** The credentials that a change is merged into: none if sealed with a key that was given up. */
  function credentialsOf (kept: TicketingProviderRecord): ProviderCredentials {
    try {
      return open(kept).credentials
    } catch (error) {
      if (error instanceof Refusal) return {}
      throw error
    }
  }

  function shown ({
    owner: _owner, credentials: _credentials, ...provider
  }: TicketingProviderRecord): TicketingProvider {
    return { ...provider, inbound_path: `/v1/inbound/tickets/${tokenOf(provider.id)}` }
  }

  function * refuseTaken (owner: Id, name: string, except: Id) {
    const isNamesake = and(eq(table.owner, owner), eq(table.name, name), ne(table.id, except))
    if (yield * db.get(orm.select().from(table).where(isNamesake))) {
      throw new Refusal('taken', `There is a ticketing provider "${name}" already. Choose another name.`)
    }
  }

  return {
    list: async (owner) => db.read(function * () { return (yield * ofOwner(owner)).map(shown) }),
    get: async (owner, id) =>
      db.read(function * () {
        const kept = yield * find(owner, id)
        return kept && shown(kept)
      }),

    add: (owner, { name, kind, settings = {}, credentials = {} }, once) =>
      db.atomically(function * () {
        return yield * idempotency.run(owner, once, function * () {
          const [{ there } = { there: 0 }] = yield * db.all(orm
            .select({ there: count() })
            .from(table)
            .where(eq(table.owner, owner)))
          checkProvider(kind, settings, credentials, there, check)
          yield * refuseTaken(owner, name, 0)
          const at = timestamp(clock.micros())
          const { id } = yield * db.get(orm
            .insert(table)
            .values({ owner, name, kind, settings, credentials: Buffer.alloc(0), created_at: at, updated_at: at })
            .returning())
          return shown(
            (yield * db.get(orm
              .update(table)
              .set({ credentials: vault.close(placeOf(id), JSON.stringify(credentials)) })
              .where(mine(owner, id))
              .returning()))!
          )
        })
      }),

    change: (owner, id, { credentials, settings: changes, ...patch }, match) =>
      db.atomically(function * () {
        const kept = yield * find(owner, id)
        if (!kept) return undefined
        match?.(shown(kept))
        const settings = withChange(kept.settings, changes ?? {})
        const merged = credentials && withChange(credentialsOf(kept), credentials)
        checkProvider(kept.kind, settings, merged, 0, check)
        yield * refuseTaken(owner, patch.name ?? kept.name, id)
        if (patch.name !== undefined && patch.name !== kept.name) yield * renameInAgents(owner, kept.name, patch.name)
        const secrets = merged && { credentials: vault.close(placeOf(id), JSON.stringify(merged)) }
        return shown(
          (yield * db.get(orm
            .update(table)
            .set({ ...patch, ...secrets, settings, updated_at: timestamp(clock.micros()) })
            .where(mine(owner, id))
            .returning()))!
        )
      }),

    remove: (owner, id, match) =>
      db.atomically(function * () {
        const kept = yield * find(owner, id)
        if (!kept) return false
        match?.(shown(kept))
        yield * db.run(orm.delete(table).where(mine(owner, id)))
        return true
      }, { frees: true }),

    open: async (owner, id) =>
      db.read(function * () {
        const kept = yield * find(owner, id)
        return kept && open(kept)
      }),

    names: async (owner) => db.read(function * () {
      return new Map((yield * ofOwner(owner)).map(({ id, name }) => [name, id]))
    }),

    byInbound: async (token) =>
      db.read(function * () {
        const [, number = ''] = /^(\d{1,15})-/.exec(token) ?? []
        const kept =
          number === ''
            ? undefined
            : (yield * db.get(orm
                .select()
                .from(table)
                .where(eq(table.id, Number(number)))))
        if (!kept) return undefined
        const [theirs, right] = [Buffer.from(token), Buffer.from(tokenOf(kept.id))]
        return theirs.length === right.length && timingSafeEqual(theirs, right) ? open(kept) : undefined
      })
  }
}
