import { randomBytes } from 'node:crypto'
import type { Statements } from './database.ts'
import type { Id } from '../../../../schema/common.ts'
import type { Work } from '../work.ts'
import { KEY_BYTES, sealWith, type Seal, type Secrets } from '../secrets.ts'
import { FRONT, paddingFor } from './overflow.ts'

/** Secrets per row: as many as fit into one overflow page, which never moves and is overwritten in place. */
export const IN_A_PAGE = 126
/** Secrets destroyed per slice, some 50 µs each. */
const SECRETS_AT_ONCE = 64
/** From how many of the newest pages secrets are taken, several transactions at once. */
const NEWEST_PAGES = 16
const PADDING = paddingFor(IN_A_PAGE * KEY_BYTES)

/** Which page a secret is in, as SQL. */
export const pageOf = (secret: string) => `${secret} / ${IN_A_PAGE}`

/** A secret's key in its page, as SQL. */
export const keyOf = (secret: string) => `substr(keys, ${FRONT + 1} + ${secret} % ${IN_A_PAGE} * ${KEY_BYTES}, ${KEY_BYTES})`

/** Secrets in the table `secret_pages`. */
export function secretsIn (db: Statements): Secrets {
  // Of the newest pages one that no other transaction takes from just now. What is left of an old one is not used.
  const newest = db.objects<[], { id: number, used: number }>(`
    select id, used from secret_pages
    where id > (select max(id) from secret_pages) - ${NEWEST_PAGES} and used < ${IN_A_PAGE}
    order by id desc limit 1 /* for update skip locked */`)
  const addPage = db.column<[Buffer], number>(
    'insert into secret_pages (used, live, keys) values (0, 0, ?) returning id'
  )
  const use = db.column<[number, number, number], number>(
    'update secret_pages set used = used + ?, live = live + ? where id = ? returning used'
  )
  const key = db.column<[number, number], Buffer>(`select substr(keys, ?, ${KEY_BYTES}) from secret_pages where id = ?`)
  const keys = db.column<[number], Buffer>('select keys from secret_pages where id = ?')
  const keysToWrite = db.column<[number], Buffer>('select keys from secret_pages where id = ? /* for update */')
  const write = db.objects('update secret_pages set live = live - ?, keys = ? where id = ?')
  const dropEmpty = db.objects(`delete from secret_pages where id = ? and live = 0
    and (used = ${IN_A_PAGE} or id <= (select max(id) from secret_pages) - ${NEWEST_PAGES})`)

  const doomed = db.column<[], Id>(`select secret from doomed_secrets order by secret limit ${SECRETS_AT_ONCE}`)
  const isDoomed = db.column<[], number>('select 1 from doomed_secrets limit 1')
  // Secrets are destroyed in order: all of them are up to the last one.
  const forget = db.objects('delete from doomed_secrets where secret <= ?')

  /** Destroys secrets of one page, which is written once, however many of them it has. */
  function * destroyIn (page: number, secrets: readonly Id[]): Work<void> {
    const found = yield * keysToWrite.get(page)
    const live = secrets.map((secret) => placeOf(secret).at)
      .filter((at) => found?.subarray(at, at + KEY_BYTES).some((byte) => byte !== 0))
    if (!found || live.length === 0) return
    for (const at of live) found.fill(0, at, at + KEY_BYTES)
    yield * write.run(live.length, found, page)
    yield * dropEmpty.run(page)
  }

  /** Hands out the next secrets of a page, as many as it has left at most: the first of them, and how many. */
  function * take (most: number): Work<{ page: number, first: number, count: number }> {
    // The keys of a page are created together, so that handing one out does not rewrite the others.
    const found = yield * newest.get()
    const page = found?.id ?? (yield * addPage.get(
      Buffer.concat([Buffer.alloc(FRONT), randomBytes(IN_A_PAGE * KEY_BYTES), Buffer.alloc(PADDING)])
    ))!
    const count = Math.min(most, IN_A_PAGE - (found?.used ?? 0))
    return { page, first: page * IN_A_PAGE + (yield * use.get(count, count, page))! - count, count }
  }

  return {
    * create () { return (yield * take(1)).first },

    * createMany (count) {
      const made: Array<{ secret: Id, seal: Seal }> = []
      while (made.length < count) {
        const { page, first, count: some } = yield * take(count - made.length)
        const found = (yield * keys.get(page))!
        for (let secret = first; secret < first + some; secret++) {
          const { at } = placeOf(secret)
          made.push({ secret, seal: sealWith(found.subarray(at, at + KEY_BYTES)) })
        }
      }
      return made
    },

    * seal (secret) {
      const { page, at } = placeOf(secret)
      const found = yield * key.get(at + 1, page)
      return found?.some((byte) => byte !== 0) ? sealWith(found) : undefined
    },

    destroy: (secret) => destroyIn(placeOf(secret).page, [secret]),

    * destroySome () {
      const some = yield * doomed.all()
      for (const [page, secrets] of Map.groupBy(some, (secret) => placeOf(secret).page)) {
        yield * destroyIn(page, secrets)
      }
      if (some.length > 0) yield * forget.run(some.at(-1))
      return (yield * isDoomed.get()) === 1
    },

    * isAnyDoomed () { return (yield * isDoomed.get()) === 1 }
  }
}

/** The row of a secret, and its position there. */
function placeOf (secret: Id): { page: number, at: number } {
  return { page: Math.floor(secret / IN_A_PAGE), at: FRONT + secret % IN_A_PAGE * KEY_BYTES }
}
