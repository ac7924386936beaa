import { randomBytes } from 'node:crypto'
import type { Statements } from './database.ts'
import type { Id } from '../../../../schema/common.ts'
import { KEY_BYTES, sealWith, type Secrets } from '../secrets.ts'
import { FRONT, paddingFor } from './overflow.ts'

/** Secrets kept in one row: as many as fit into one overflow page, which never moves and is overwritten in place. */
export const IN_A_PAGE = 126
/** Secrets destroyed in one slice, some 50 µs each. */
const AT_ONCE = 64
const PADDING = paddingFor(IN_A_PAGE * KEY_BYTES)

/** Which page a secret is in, as SQL. */
export const pageOf = (secret: string) => `${secret} / ${IN_A_PAGE}`

/** A secret's key in its page, as SQL. */
export const keyOf = (secret: string) => `substr(keys, ${FRONT + 1} + ${secret} % ${IN_A_PAGE} * ${KEY_BYTES}, ${KEY_BYTES})`

/** Secrets in the table `secret_pages`. */
export function secretsIn (db: Statements): Secrets {
  const newest = db.objects<[], { id: number, used: number }>(
    'select id, used from secret_pages order by id desc limit 1'
  )
  const addPage = db.column<[Buffer], number>(
    'insert into secret_pages (used, live, keys) values (0, 0, ?) returning id'
  )
  const use = db.column<[number], number>(
    'update secret_pages set used = used + 1, live = live + 1 where id = ? returning used'
  )
  const key = db.column<[number, number], Buffer>(`select substr(keys, ?, ${KEY_BYTES}) from secret_pages where id = ?`)
  const keys = db.column<[number], Buffer>('select keys from secret_pages where id = ?')
  const write = db.objects('update secret_pages set live = live - 1, keys = ? where id = ?')
  const dropEmpty = db.objects('delete from secret_pages where id = ? and live = 0 and used = ?')

  const doomed = db.column<[], Id>(`select secret from doomed_secrets order by secret limit ${AT_ONCE}`)
  const isDoomed = db.column<[], number>('select 1 from doomed_secrets limit 1')
  const forget = db.objects('delete from doomed_secrets where secret = ?')

  function * destroy (secret: Id) {
    const { page, at } = placeOf(secret)
    const found = yield * keys.get(page)
    if (!found?.subarray(at, at + KEY_BYTES).some((byte) => byte !== 0)) return
    yield * write.run(found.fill(0, at, at + KEY_BYTES), page)
    yield * dropEmpty.run(page, IN_A_PAGE)
  }

  return {
    * create () {
      // The keys of a page are made with it, so that handing one out does not rewrite the others.
      const { id, used } = (yield * newest.get()) ?? { id: 0, used: IN_A_PAGE }
      const page =
        used < IN_A_PAGE
          ? id
          : (yield * addPage.get(
              Buffer.concat([Buffer.alloc(FRONT), randomBytes(IN_A_PAGE * KEY_BYTES), Buffer.alloc(PADDING)])
            ))!
      return page * IN_A_PAGE + (yield * use.get(page))! - 1
    },

    * seal (secret) {
      const { page, at } = placeOf(secret)
      const found = yield * key.get(at + 1, page)
      return found?.some((byte) => byte !== 0) ? sealWith(found) : undefined
    },

    destroy,

    * destroySome () {
      for (const secret of yield * doomed.all()) {
        yield * destroy(secret)
        yield * forget.run(secret)
      }
      return (yield * isDoomed.get()) === 1
    },

    * isAnyDoomed () { return (yield * isDoomed.get()) === 1 }
  }
}

/** The row of a secret, and where in it. */
function placeOf (secret: Id): { page: number, at: number } {
  return { page: Math.floor(secret / IN_A_PAGE), at: FRONT + secret % IN_A_PAGE * KEY_BYTES }
}
