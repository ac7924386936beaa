import type { Database, SqliteDatabase } from '../../../src/platform/storage/sqlite/database.ts'
import { settled, type Work } from '../../../src/platform/storage/work.ts'

/**
 * From now on the body of every transaction is run twice, and what its first run wrote is rolled back: as when its
 * group finds no room, once the ballast is released. Whatever a body notes in memory must be as if it had run once.
 */
export function runTwice (db: SqliteDatabase): void {
  const { atomically, afterwards } = db
  let isFirst = false

  function * first<T> (work: () => Work<T>): Work<void> {
    const isWithin = isFirst
    db.raw.exec('savepoint first')
    isFirst = true
    try {
      yield * work()
    } catch {
      // It is the same the second time.
    } finally {
      isFirst = isWithin
      db.raw.exec('rollback to first; release first')
    }
  }

  const twice: Pick<Database, 'atomically' | 'afterwards'> = {
    afterwards: (task) => isFirst ? settled(undefined) : afterwards(task),
    atomically: (work, options) => atomically(function * () {
      yield * first(work)
      return yield * work()
    }, options)
  }
  Object.assign(db, twice)
}
