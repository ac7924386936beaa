import { hash, randomBytes } from 'node:crypto'
import { and, eq, isNull, lte } from 'drizzle-orm'
import type { GrantRecord } from '../../../schema/assistants.ts'
import type { Id } from '../../../schema/common.ts'
import { apiKeys, grants } from '../../../schema/sqlite/access.ts'
import { digestOf, hintOf, newKey } from '../../access/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import type { AuditContext, AuditLog } from '../../platform/storage/audit.ts'
import type { Work } from '../../platform/storage/work.ts'
import { decideExchange, decideRefresh } from './decide.ts'
import type { GrantStore, Tokens } from './store.ts'

const CODE_MICROS = 60 * 1_000_000
const TOKEN_SECONDS = 3600
const DAY_MICROS = 24 * 60 * 60 * 1_000_000
/** A refresh token: the part that its family shares, and the part of this member. */
const REFRESH = /^agr_([\w-]{43})\.([\w-]{43})$/

const secret = () => randomBytes(32).toString('base64url')
const digest = (text: string) => hash('sha256', `assistants ${text}`, 'base64url')

/** Authorised assistants, in SQLite. */
export function sqliteGrantStore (
  { db, clock, standing, audit }: Pick<Kernel, 'db' | 'clock' | 'standing'> & { audit: Pick<AuditLog, 'add'> }
): GrantStore {
  const { orm } = db
  const keyOf = (key: Id) => db.get(orm.select().from(apiKeys).where(eq(apiKeys.id, key)))

  /** Records an assistant's tokens in the audit log, which no request of a person or key asked for. */
  function * tell ({ account, user, key }: GrantRecord, action: string) {
    const context: AuditContext = {
      owner: account, user, by: 'key', key, action, target: `api_keys/${key}`, madeId: undefined, fields: [], state: 'pending'
    }
    yield * audit.add(context)
  }

  /** Its first tokens, or the next ones: earlier ones are revoked. */
  function * give (grant: GrantRecord, family: string, now: number): Work<Tokens> {
    const [access, member] = [newKey(), secret()]
    const until = Math.min(now + TOKEN_SECONDS * 1_000_000, Date.parse(grant.expires_at) * 1000)
    const token = { digest: digestOf(access), hint: hintOf(access), token_until: timestamp(until) }
    yield * standing.moved()
    const key = grant.key ?? (yield * db.get(orm.insert(apiKeys).values({
      ...token,
      user: grant.user,
      account: grant.account,
      name: grant.name,
      permissions: grant.permissions,
      via: 'oauth',
      client: grant.client,
      created_at: timestamp(now),
      expires_at: grant.expires_at
    }).returning({ id: apiKeys.id }))).id
    if (grant.key !== null) yield * db.run(orm.update(apiKeys).set(token).where(eq(apiKeys.id, key)))
    yield * db.run(orm.update(grants).set({ key, family_digest: digest(family), refresh_digest: digest(member) })
      .where(eq(grants.id, grant.id)))
    if (grant.key === null) yield * tell({ ...grant, key }, 'createAssistantKey')
    return {
      access,
      refresh: `agr_${family}.${member}`,
      seconds: Math.floor((until - now) / 1_000_000),
      scope: grant.permissions.join(' ')
    }
  }

  /** Revokes an assistant's key; true unless it already was. */
  function * revoke (key: Id): Work<boolean> {
    yield * standing.moved()
    return (yield * db.run(orm.update(apiKeys).set({ revoked_at: timestamp(clock.micros()) })
      .where(and(eq(apiKeys.id, key), isNull(apiKeys.revoked_at))))) > 0
  }

  function * voidAll (grant: GrantRecord) {
    if (yield * revoke(grant.key!)) yield * tell(grant, 'revokeStolenAssistantKey')
  }

  return {
    add: (owner, { days, ...grant }) => db.atomically(function * () {
      const now = clock.micros()
      // Codes that were never exchanged are useless.
      const isOver = lte(grants.code_until, timestamp(now))
      yield * db.run(orm.delete(grants).where(and(eq(grants.user, grant.user), isNull(grants.key), isOver)))
      const code = secret()
      const { id } = yield * db.get(orm.insert(grants).values({
        ...grant,
        account: owner,
        code_digest: digest(code),
        code_until: timestamp(now + CODE_MICROS),
        expires_at: timestamp(now + days * DAY_MICROS),
        created_at: timestamp(now)
      }).returning({ id: grants.id }))
      return { id, code }
    }),

    exchange: ({ code, client, redirectUri, verifier }) => db.atomically(function * () {
      const now = clock.micros()
      const grant = yield * db.get(orm.select().from(grants).where(eq(grants.code_digest, digest(code))))
      const decision = decideExchange(grant, { client, redirectUri, verifier, at: timestamp(now) })
      if (decision.type === 'given') return yield * give(grant!, secret(), now)
      if (decision.type === 'again') yield * voidAll(grant!)
      return { fault: decision.fault }
    }),

    refresh: ({ token, client }) => db.atomically(function * () {
      const now = clock.micros()
      const [, family = '', member = ''] = REFRESH.exec(token) ?? []
      const grant = yield * db.get(orm.select().from(grants).where(eq(grants.family_digest, digest(family))))
      const isRevoked = grant === undefined || (yield * keyOf(grant.key!))?.revoked_at !== null
      const decision = decideRefresh(
        grant && { ...grant, isRevoked }, { client, refreshDigest: digest(member), at: timestamp(now) }
      )
      if (decision.type === 'given') return yield * give(grant!, family, now)
      if (decision.type === 'again') yield * voidAll(grant!)
      return { fault: decision.fault }
    }),

    revoke: (token) => db.atomically(function * () {
      const [, family] = REFRESH.exec(token) ?? []
      const grant = family === undefined
        ? (yield * db.get(orm.select({ grant: grants }).from(apiKeys).innerJoin(grants, eq(grants.key, apiKeys.id))
            .where(eq(apiKeys.digest, digestOf(token)))))?.grant
        : (yield * db.get(orm.select().from(grants).where(eq(grants.family_digest, digest(family)))))
      if (grant && (yield * revoke(grant.key!))) yield * tell(grant, 'revokeAssistantKey')
    }, { frees: true })
  }
}
