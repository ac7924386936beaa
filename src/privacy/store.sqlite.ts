import type { Id } from '../../schema/common.ts'
import { privacyReceipts } from '../../schema/sqlite/privacy.ts'
import type { ReceiptRecord } from '../../schema/privacy.ts'
import type { Kernel } from '../kernel/index.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Work } from '../platform/storage/work.ts'
import { erasure, retention, type RemovingNeeds } from './removing.sqlite.ts'
import { NOTHING, receiptAfter, silentSince, type BackupPlan, type Occasion } from './retention.ts'
import { counting } from './preview.ts'
import type { Preview, PrivacyStore } from './store.ts'

/** What the store needs. */
type PrivacyStoreNeeds = Omit<RemovingNeeds, 'note'> & { plan: BackupPlan }

/** Retention, erasure and their receipts in SQLite. */
export function sqlitePrivacyStore (needs: PrivacyStoreNeeds): PrivacyStore {
  const { db, clock, persons: { agents, conversations, tickets } } = needs
  const rows = rowsOf(privacyReceipts)
  const count = counting(db, [...conversations.counters, ...tickets.counters])
  const receipts = db.rows<unknown[], unknown[]>(
      `select ${rows.columns} from privacy_receipts where owner_id = ? and id < ? order by id desc limit ?`
  )

  async function previewOf (agent: Id, days: number | null): Promise<Preview> {
    if (days === null) return { days, silent_since: null, removed: NOTHING }
    const since = silentSince(days, clock.micros())
    return { days, silent_since: since, removed: await count(agent, since) }
  }

  const removing = {
    ...needs,
    note: receiptWriter(needs)
  }
  return {
    async preview (owner, agent, asked) {
      const kept = await db.read(() => agents.keptFor(owner, agent))
      return kept && await previewOf(agent, asked ?? kept.days)
    },
    receipts: async (owner, cursor, limit) => db.read(function * () {
      const found = (yield * receipts
        .all(owner, cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor), limit + 1))
        .map(rows.record)
      const items = found.slice(0, limit)
      return { items, next: found.length > limit ? String(items.at(-1)?.id) : null }
    }),
    erase: erasure(removing),
    retain: retention(removing),
    ownerOf: async (visitor) => db.read(() => conversations.ownerOf(visitor))
  }
}

/** Stores the receipt in the transaction that removes. */
function receiptWriter ({ db, clock, plan }: Pick<Kernel, 'db' | 'clock'> & { plan: BackupPlan }) {
  const rows = rowsOf(privacyReceipts)
  const open = db.rows<[Id, Id, string, string | null], unknown[]>(
      `select ${rows.columns} from privacy_receipts where owner_id = ? and agent_id = ? and kind = ? and visitor is ? and finished_at is null`
  )
  const put = db.rows<unknown[], unknown[]>(
      `insert into privacy_receipts (${rows.columns}) values (${rows.placeholders}) on conflict (id) do update set ${rows.updates} returning ${rows.columns}`
  )

  return function * (
    owner: Id, occasion: Occasion, more: Parameters<typeof receiptAfter>[2], isDone: boolean
  ): Work<ReceiptRecord | undefined> {
    const found = yield * open.get(owner, occasion.agent, occasion.kind, occasion.visitor)
    const next = receiptAfter(found && rows.record(found), occasion, more, { owner, now: clock.micros(), plan, isDone })
    return next && rows.record((yield * put.get(...rows.values(next)))!)
  }
}
