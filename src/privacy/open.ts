import type { DataHost } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { Worker } from '../platform/work/worker.ts'
import { openDeletion, type Deletion, type DeletionNeeds } from './deleting.sqlite.ts'
import type { Exporter } from '../personal-data/contract.ts'
import type { ExportNeeds } from './export.ts'
import { dataHosts, type Sent } from './hosts.ts'
import type { BackupPlan } from './retention.ts'
import type { Persons } from './removing.sqlite.ts'
import { sqlitePrivacyStore } from './store.sqlite.ts'
import type { PrivacyStore } from './store.ts'
import type { Tickets } from '../tickets/index.ts'

/** Retention and privacy services. */
export interface Privacy {
  store: PrivacyStore
  deletion: Deletion
  exporting: ExportNeeds
  plan: BackupPlan
  clock: Clock
  /** The hosts that an account's personal data is sent to. */
  hosts (owner: Id): Promise<DataHost[]>
}

/** Builds them, and enforces retention once a day. */
export function openPrivacy ({
  db, clock, idempotency, conversations, tickets, blobs, worker, plan, more, sent, persons, ...rest
}: Omit<DeletionNeeds, 'agents'> & {
  clock: Clock
  idempotency: Idempotency
  conversations: Conversations
  tickets: Pick<Tickets['store'], 'ofPerson'>
  blobs: Blobs
  worker: Pick<Worker, 'every' | 'handle'>
  plan: BackupPlan
  /** What features know of persons. */
  persons: Persons
  /** What other features store of visitors. */
  more: readonly Exporter[]
  /** The recipients of an account's personal data, by feature. */
  sent: ReadonlyArray<(owner: Id) => Promise<Sent[]>>
}): Privacy {
  const { removal, talk, visitors } = conversations
  const store = sqlitePrivacyStore({
    db,
    clock,
    idempotency,
    removal,
    visitors,
    tickets,
    persons,
    drop: (conversation) => talk.runs.forget(conversation),
    plan
  })
  worker.every(RETAIN, RETAIN_EVERY_MS, (signal) => store.retain(signal))
  return {
    store,
    deletion: openDeletion({ ...rest, agents: persons.agents, db, worker }),
    exporting: { conversations, blobs, clock, more },
    plan,
    clock,
    hosts: async (owner) => dataHosts((await Promise.all(sent.map((of) => of(owner)))).flat())
  }
}

/** The kind of the job that removes what is kept too long, and how often it runs. */
const RETAIN = 'privacy.retain'
const RETAIN_EVERY_MS = 24 * 60 * 60_000
