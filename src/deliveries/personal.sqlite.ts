import type { Sending } from '../personal-data/contract.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** To whom something was sent, or is being sent, about what the outbox names so (`tickets/…`). */
export function sendingsAbout (db: Database): (about: string) => Work<Sending[]> {
  const sent = db.objects<[string], Sending>(
    "select channel as system, external_id as reference, coalesce(settled_at, created_at) as at from outbox where about = ? and (state = 'sent' or is_open = 1)"
  )
  return (about) => sent.all(about)
}
