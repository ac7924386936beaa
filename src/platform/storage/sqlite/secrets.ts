import { randomBytes } from 'node:crypto'
import type BetterSqlite3 from 'better-sqlite3'
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

/**
 * Secrets in the table `secret_pages`, and the SQL function `open_text(keys, secret, place, sealed)`, which is NULL for
 * what does not open.
 */
export function secretsIn (raw: BetterSqlite3.Database): Secrets {
  const newest = raw.prepare<[], { id: number, used: number }>(
    'select id, used from secret_pages order by id desc limit 1'
  )
  const addPage = raw
    .prepare<[Buffer], number>('insert into secret_pages (used, live, keys) values (0, 0, ?) returning id')
    .pluck()
  const use = raw
    .prepare<[number], number>('update secret_pages set used = used + 1, live = live + 1 where id = ? returning used')
    .pluck()
  const key = raw
    .prepare<[number, number], Buffer>(`select substr(keys, ?, ${KEY_BYTES}) from secret_pages where id = ?`)
    .pluck()
  const keys = raw.prepare<[number], Buffer>('select keys from secret_pages where id = ?').pluck()
  const write = raw.prepare('update secret_pages set live = live - 1, keys = ? where id = ?')
  const dropEmpty = raw.prepare('delete from secret_pages where id = ? and live = 0 and used = ?')

  raw.function('open_text', { directOnly: true }, (page: unknown, secret: unknown, where: unknown, sealed: unknown) => {
    const at = placeOf(secret as Id).at
    try {
      return sealWith((page as Buffer).subarray(at, at + KEY_BYTES)).open(where as string, sealed as Buffer).toString()
    } catch {
      return null
    }
  })

  const doomed = raw.prepare<[], Id>(`select secret from doomed_secrets order by secret limit ${AT_ONCE}`).pluck()
  const isDoomed = raw.prepare<[], number>('select 1 from doomed_secrets limit 1').pluck()
  const forget = raw.prepare('delete from doomed_secrets where secret = ?')

  function destroy (secret: Id) {
    const { page, at } = placeOf(secret)
    const found = keys.get(page)
    if (!found?.subarray(at, at + KEY_BYTES).some((byte) => byte !== 0)) return
    write.run(found.fill(0, at, at + KEY_BYTES), page)
    dropEmpty.run(page, IN_A_PAGE)
  }

  return {
    create () {
      // The keys of a page are made with it, so that handing one out does not rewrite the others.
      const { id, used } = newest.get() ?? { id: 0, used: IN_A_PAGE }
      const page =
        used < IN_A_PAGE
          ? id
          : addPage.get(
            Buffer.concat([Buffer.alloc(FRONT), randomBytes(IN_A_PAGE * KEY_BYTES), Buffer.alloc(PADDING)])
          )!
      return page * IN_A_PAGE + use.get(page)! - 1
    },

    seal (secret) {
      const { page, at } = placeOf(secret)
      const found = key.get(at + 1, page)
      return found?.some((byte) => byte !== 0) ? sealWith(found) : undefined
    },

    destroy,

    destroySome () {
      for (const secret of doomed.all()) {
        destroy(secret)
        forget.run(secret)
      }
      return isDoomed.get() === 1
    },

    isAnyDoomed: () => isDoomed.get() === 1
  }
}

/** The row of a secret, and where in it. */
function placeOf (secret: Id): { page: number, at: number } {
  return { page: Math.floor(secret / IN_A_PAGE), at: FRONT + secret % IN_A_PAGE * KEY_BYTES }
}
