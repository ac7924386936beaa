import type { DataHost } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { durationMs } from '../platform/storage/sqlite/scheduled-backups.ts'
import { openDeletion, type Deletion, type DeletionNeeds } from './deleting.sqlite.ts'
import type { Exporter, Sent } from '../personal-data/contract.ts'
import type { ExportNeeds } from './export.ts'
import { dataHosts } from './hosts.ts'
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

/** What privacy needs of other features. */
interface PrivacyFeatures extends Pick<DeletionNeeds, 'keeps' | 'users'> {
  conversations: Conversations
  tickets: Pick<Tickets['store'], 'ofPerson'>
  blobs: Blobs
  /** What features know of persons. */
  persons: Persons
  /** What other features store of visitors. */
  exported: readonly Exporter[]
  /** The recipients of an account's personal data, by feature. */
  sent: ReadonlyArray<{ hosts: (owner: Id) => Promise<Sent[]> }>
}

/** Opens them, and enforces retention once a day. */
export function openPrivacy (
  kernel: Kernel, { conversations, tickets, blobs, keeps, users, persons, exported, sent }: PrivacyFeatures
): Privacy {
  const { clock, worker, config: { BACKUP_EVERY, BACKUP_KEEP } } = kernel
  const { removal, talk, visitors } = conversations
  const plan: BackupPlan = BACKUP_EVERY ? { everyMs: durationMs(BACKUP_EVERY), keep: BACKUP_KEEP } : null
  const store = sqlitePrivacyStore({
    ...kernel, removal, visitors, tickets, persons, drop: (conversation) => talk.runs.forget(conversation), plan
  })
  worker.every(RETAIN, RETAIN_EVERY_MS, (signal) => store.retain(signal))
  return {
    store,
    deletion: openDeletion({ ...kernel, keeps, users, agents: persons.agents }),
    exporting: { conversations, blobs, clock, more: exported },
    plan,
    clock,
    hosts: async (owner) => dataHosts((await Promise.all(sent.map(({ hosts }) => hosts(owner)))).flat())
  }
}

/** The kind of the job that removes what is kept too long, and how often it runs. */
const RETAIN = 'privacy.retain'
const RETAIN_EVERY_MS = 24 * 60 * 60_000
