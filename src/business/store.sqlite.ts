import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import { businesses } from '../../schema/sqlite/business.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { unset } from './settings.ts'
import type { BusinessStore } from './store.ts'

/** Settings of accounts in SQLite. */
export function sqliteBusinessStore ({ db }: { db: Database }): BusinessStore {
  const rows = rowsOf(businesses)
  const kept = db.raw.prepare<[Id], unknown[]>(`select ${rows.columns} from businesses where owner_id = ?`).raw()

  function of (owner: Id): BusinessRecord {
    const row = kept.get(owner)
    return row ? rows.record(row) : unset(owner)
  }

  return {
    of,
    get: async (owner) => db.read(() => of(owner)),
    change: (owner, decide) => db.atomically(() => {
      const next = decide(of(owner))
      db.orm.insert(businesses).values(next).onConflictDoUpdate({ target: businesses.owner, set: next }).run()
      return next
    })
  }
}
