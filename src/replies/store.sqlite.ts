import { and, count, eq, isNull, or, sql } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { SavedReply, SavedReplyRecord } from '../../schema/replies.ts'
import { savedReplies } from '../../schema/sqlite/replies.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { changedTexts, isSameKey, MOST_REPLIES, placeholderFault } from './reply.ts'
import type { ReplyStore } from './store.ts'

/** See ReplyStore. */
export function sqliteReplyStore (
  { db, clock, idempotency }: Pick<Kernel, 'db' | 'clock' | 'idempotency'>
): ReplyStore {
  const { orm } = db
  const stamp = () => timestamp(clock.micros())
  const of = (owner: Id, user: Id | null) =>
    and(eq(savedReplies.owner, owner), user === null ? isNull(savedReplies.user) : eq(savedReplies.user, user))
  const seenBy = (owner: Id, user: Id) => or(of(owner, null), of(owner, user))
  const seen = (owner: Id, user: Id, id: Id) =>
    db.get(orm.select().from(savedReplies).where(and(eq(savedReplies.id, id), seenBy(owner, user))))

  // Compared here: a data file knows capitals of English only, and a database those of its own language.
  function * demandFree (owner: Id, user: Id | null, key: string, except?: Id) {
    const known = yield * db.all(
      orm.select({ id: savedReplies.id, key: savedReplies.key }).from(savedReplies).where(of(owner, user))
    )
    if (known.some((one) => one.id !== except && isSameKey(one.key, key))) {
      throw new Refusal('taken', `There is a saved reply "${key}" already. Choose another name, or change that one.`)
    }
  }

  function * demandRoom (owner: Id, user: Id | null) {
    const [{ there } = { there: 0 }] = yield * db.all(
      orm.select({ there: count() }).from(savedReplies).where(of(owner, user))
    )
    if (there >= MOST_REPLIES) {
      throw new Refusal('limit_reached', `There may be ${MOST_REPLIES} saved replies. Remove one that is not needed.`)
    }
  }

  return {
    list: async (owner, user) => db.read(function * () {
      return (yield * db.all(orm.select().from(savedReplies).where(seenBy(owner, user))
        .orderBy(sql`lower(${savedReplies.key})`, savedReplies.id))).map(shown)
    }),
    get: async (owner, user, id) => db.read(function * () {
      const found = yield * seen(owner, user, id)
      return found && shown(found)
    }),
    add: (owner, user, { key: typed, texts, scope = 'team' }, once) => db.atomically(function * () {
      const key = typed.normalize()
      return yield * idempotency.run(owner, once, function * () {
        demandPlaceholders(texts)
        const of = scope === 'mine' ? user : null
        yield * demandFree(owner, of, key)
        yield * demandRoom(owner, of)
        const at = stamp()
        const row = { owner, user: of, key, texts, created_at: at, updated_at: at }
        return shown(yield * db.get(orm.insert(savedReplies).values(row).returning()))
      })
    }),
    change: (owner, user, id, patch, match) => db.atomically(function * () {
      const found = yield * seen(owner, user, id)
      if (!found) return undefined
      match?.(shown(found))
      const key = (patch.key ?? found.key).normalize()
      const texts = changedTexts(found.texts, patch.texts)
      demandPlaceholders(texts)
      if (patch.key !== undefined) yield * demandFree(owner, found.user, key, id)
      return shown(
        (yield * db.get(orm.update(savedReplies).set({ key, texts, updated_at: stamp() }).where(eq(savedReplies.id, id))
          .returning()))!
      )
    }),
    remove: (owner, user, id, match) => db.atomically(function * () {
      const found = yield * seen(owner, user, id)
      if (!found) return false
      match?.(shown(found))
      yield * db.run(orm.delete(savedReplies).where(eq(savedReplies.id, id)))
      return true
    }, { frees: true })
  }
}

/** Refuses with VALIDATION_ERROR unknown placeholders: a visitor would see the braces. */
function demandPlaceholders (texts: Record<string, string>) {
  for (const [language, text] of Object.entries(texts)) {
    const message = placeholderFault(text)
    if (message) throw invalid({ field: `texts.${language}`, message })
  }
}

function shown ({ owner: _owner, user, ...rest }: SavedReplyRecord): SavedReply {
  return { ...rest, scope: user === null ? 'team' : 'mine' }
}
