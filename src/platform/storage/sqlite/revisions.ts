import type { Id } from '../../../../schema/common.ts'
import type { Database } from './database.ts'

/** Says what changed, so that an answer can be reused while nothing it shows has changed. */
export interface Revisions {
  /** The number that stands for everything a user's lists show now; undefined when there is no such user. */
  of (user: Id): number | undefined
  /** Moves it, inside the transaction of the change, and returns it. Unique across restores of a backup, because it follows the time. */
  move (user: Id, micros: number): number
}

/** Bound on what is remembered; a user more costs one query. */
const LIMIT = 100_000

/** Revisions kept in the users table and remembered until this process or another changes them. */
export function revisionsOf (db: Database, most = LIMIT): Revisions {
  const read = db.raw.prepare<[Id], number>('select revision from users where id = ?').pluck()
  const write = db.raw.prepare<[number, Id], number>('update users set revision = max(revision + 1, ?) where id = ? returning revision').pluck()
  const remembered = new Map<Id, number>()
  let generation = -1

  return {
    of (user) {
      if (generation !== db.generation()) {
        generation = db.generation()
        remembered.clear()
      }
      const known = remembered.get(user)
      if (known !== undefined) return known
      const revision = db.read(() => read.get(user))
      if (remembered.size >= most) remembered.clear()
      if (revision !== undefined) remembered.set(user, revision)
      return revision
    },
    move (user, micros) {
      remembered.delete(user)
      return write.get(micros, user)!
    }
  }
}
