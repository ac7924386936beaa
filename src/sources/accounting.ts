import type { Database, Statements } from '../platform/storage/sqlite/database.ts'
import { filtered, type Work } from '../platform/storage/work.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { AccountRoom } from './contract.ts'

const inBytes = (bytes: number) => bytes === 1 ? '1 byte' : `${bytes} bytes`

/** The refusal of more text than an agent may have. */
export function overCeiling ({ used, allowed }: AccountRoom, asked: number): Refusal {
  return new Refusal(
    'training_limit_exceeded',
    `This would add ${inBytes(asked)} of text; the agent uses ${used} of ${allowed}. Remove or deselect a source, or add less.`,
    { fields: { used, asked, allowed } }
  )
}

/** The refusal of more than an account may store. */
export function overStorage ({ used, allowed }: AccountRoom, asked: number): Refusal {
  return new Refusal(
    'storage_limit_exceeded',
    `This would store ${inBytes(asked)} more; the account stores ${used} of ${allowed}. Remove sources that are not needed, deselected and failed ones count too, or conversations with files.`,
    { fields: { used, asked, allowed } }
  )
}

/**
 * What an account stores and may store; queried within the transaction that adds to it. Data of a deleted agent no
 * longer counts, even while it is being removed.
 */
export function storageRoom (db: Database, allowed: (tier: Tier) => number): (owner: Id) => Work<AccountRoom> {
  const storage = db.objects<[Id], { used: number, tier: Tier }>(
    `select (select coalesce(sum(bytes), 0) from stored_bytes where owner_id = users.id and ${OF_KEPT_AGENT}) as used, tier
      from users where id = ?`
  )
  return function * (owner) {
    const { used, tier } = (yield * storage.get(owner)) ?? { used: 0, tier: 'free' }
    return { used, allowed: allowed(tier) }
  }
}

/**
 * Consistency check: an account is charged exactly what its sources store, as the triggers count it. Returns the
 * accounts where that is not so. `others`: tables of other features whose `bytes` are charged to their `owner_id` too.
 */
export function * storedBytesFaults (db: Statements, others: readonly string[]): Work<string[]> {
  const isThere = (table: string) => db.hasTable(table)
  // A backup of an older program counts nothing yet.
  if (!(yield * isThere('site_pages'))) return []
  const wrong = yield * db.objects<[], { owner: number, kept: number, counted: number }>(`
    with keeps as (
      select owner_id, case when file_blob is null then 0 else cast(metadata ->> 'file_size' as bigint) end +
        case when text_blob is null then 0 else total_training_usage_bytes end as bytes from knowledge_sources
      union all
      select owner_id, length(cast(address || url || coalesce(etag, '') || coalesce(last_modified, '') || content_hash || coalesce(title, '') as blob)) + length(links)
      from site_pages
      ${(yield * filtered(others, isThere))
        .map((table) => `union all select owner_id, bytes from ${table}`)
        .join(' ')}
    ), sums as (select owner_id, sum(bytes) as counted from keeps group by owner_id),
      charges as (select owner_id, sum(bytes) as bytes from stored_bytes group by owner_id)
    select owner_id as owner, coalesce(bytes, 0) as kept, coalesce(counted, 0) as counted
    from charges full join sums using (owner_id) where coalesce(bytes, 0) <> coalesce(counted, 0) order by owner limit 5`)
    .all()
  return wrong.map(
    ({ owner, kept, counted }) => `account ${owner} is charged ${kept} stored bytes and keeps ${counted}`
  )
}
