import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import { businesses } from '../../schema/sqlite/business.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Work } from '../platform/storage/work.ts'
import { unset } from './settings.ts'
import type { BusinessStore } from './store.ts'

/** Settings of accounts in SQLite. */
export function sqliteBusinessStore ({ db }: { db: Database }): BusinessStore {
  const rows = rowsOf(businesses)
  const kept = db.rows<[Id], unknown[]>(`select ${rows.columns} from businesses where owner_id = ?`)

  function * of (owner: Id): Work<BusinessRecord> {
    const row = yield * kept.get(owner)
    return row ? rows.record(row) : unset(owner)
  }

  return {
    of,
    get: async (owner) => db.read(() => of(owner)),
    change: (owner, decide) => db.atomically(function * () {
      const next = decide(yield * of(owner))
      yield * db.run(db.orm.insert(businesses).values(next).onConflictDoUpdate({ target: businesses.owner, set: next }))
      return next
    })
  }
}
