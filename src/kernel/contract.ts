import type { Static } from '@sinclair/typebox'
import type { Tier } from '../../schema/plans.ts'
import type { Clock } from '../platform/clock.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import type { Egress } from '../platform/net/egress.ts'
import type { Smtp } from '../platform/net/smtp.ts'
import type { Changes } from '../platform/storage/changes.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Outbox } from '../platform/storage/sqlite/outbox.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { EventBus } from '../platform/work/event-bus.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { OnFault, Worker } from '../platform/work/worker.ts'
import type { Settings } from './settings.ts'

/** The settings with their defaults filled in. */
export type Config = Omit<Static<typeof Settings>, PerTier> & Record<PerTier, Record<Tier, number>>
/** Limits that every tier has, whatever the settings. */
export type PerTier = 'RATE_LIMITS' | 'TRAINING_LIMITS' | 'STORAGE_LIMITS' | 'DAILY_TOKENS' | 'MAIL_LIMITS'

/** Where the state of the service is reported: the server's log. */
export interface Log { info (fields: object, message: string): void, warn (fields: object, message: string): void }

/** What runs beside the worker: how to stop it, and when nothing is left for it to do. */
export interface Running { stop? (): Promise<void> | void, settled? (): Promise<void> }

/** The running background work. */
export interface Background {
  /** Stops; unfinished work is done at the next start. */
  stop (): Promise<void>
  /** Resolves when nothing is due or running, and deleted data is wiped. */
  settled (): Promise<void>
}

/** What features do while a process works, and when it ends. All of it is registered while the features are opened. */
export interface Life {
  /** Called in the one process that works on the data, before its worker starts, in the order of opening. */
  onWork (begin: () => Promise<Running | void>): void
  /**
   * Takes up what dead processes have left: a process that serves alone does so before its worker starts, otherwise the
   * leading one does from time to time, and leaves alone what was touched after `silentSince`.
   */
  onRecovery (takeUp: (silentSince?: string) => Promise<void>): void
  /** Called at the end, in reverse order of opening. */
  onClose (end: () => Promise<void> | void): void
}

/** Sends what is in the outbox, by channel. */
export interface Channels {
  /** Has a sender send the entries of a channel from now on. */
  sendBy (channel: string, sender: Sender): void
  /** Undefined: nothing is set up to send by it. */
  senderOf (channel: string): Sender | undefined
}

/** What every feature may use; it knows none of them. */
export interface Kernel<D extends Database = Database> extends Life, Channels {
  config: Config
  /** Whether this process serves. */
  serving: boolean
  /** Whether this process does the work that only one of the serving processes does. */
  leads: () => boolean
  /** Where people reach the server, as far as the settings say. */
  address: () => string
  clock: Clock
  /** The server's log, once there is one. */
  log: Log
  /** Receives unexpected errors of the background work. */
  onFault: OnFault
  /** The tables; every change is in the audit log. */
  db: D
  /** Seals texts. */
  secrets: Secrets
  /** Seals the secrets of other services. */
  vault: Vault
  /** Which lists of an account are unchanged and may be reused. */
  revisions: Revisions
  /** Answers of requests under their Idempotency-Key. */
  idempotency: Idempotency
  /** Drops the caches of callers when a key, session, member or user changes. */
  standing: Changes
  /** Wakes those who wait for news. */
  notifier: Notifier
  /** Notifies features of what others did, in the same transaction. */
  eventBus: EventBus
  jobs: Jobs
  /** Does the jobs, in the one process that works on the data. */
  worker: Worker
  /** Outgoing messages, durably queued. */
  outbox: Outbox
  /** The other processes that serve, and what is counted together with them. */
  neighbours: Neighbours
  /** How the program names itself to other servers. */
  userAgent: string
  /** Sends to addresses that accounts choose: on the public internet, and on hosts that the operator has opened. */
  out: Pick<Egress, 'fetch'>
  /** Sends mail from the operator's address; undefined where mail is not set up. */
  mail: { smtp: Smtp, from: string } | undefined
  /** Why such an address cannot be sent to, in a sentence that begins with its field's name. */
  check: (what: string, address: string) => string | undefined
}
