import type { Sending } from '../personal-data/contract.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { listOf } from '../platform/storage/list.ts'
import { flatMapped, type Work } from '../platform/storage/work.ts'

/** To whom something was sent, or is being sent, about objects that the outbox names like this (`tickets/…`). */
export function sendingsAbout (db: Database): (abouts: readonly string[]) => Work<Sending[]> {
  const list = listOf(db)
  const sent = db.objects<string[], Sending>(
    `select channel as system, external_id as reference, coalesce(settled_at, created_at) as at from outbox where about in (${list.marks}) and (state = 'sent' or is_open = 1)`
  )
  return (abouts) => flatMapped(list.parts(abouts), (some) => sent.all(...list.values(some)))
}
