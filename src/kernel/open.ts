import { users } from '../../schema/sqlite/access.ts'
import type { Clock } from '../platform/clock.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { egress } from '../platform/net/egress.ts'
import { bareAddress, openSmtp } from '../platform/net/smtp.ts'
import { outsideOnly } from '../platform/net/outside.ts'
import { changesOf } from '../platform/storage/changes.ts'
import { secretsIn } from '../platform/storage/sqlite/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { idempotencyIn } from '../platform/storage/sqlite/idempotency.ts'
import { jobsIn } from '../platform/storage/sqlite/jobs.ts'
import { outboxIn } from '../platform/storage/sqlite/outbox.ts'
import { revisionsOf } from '../platform/storage/sqlite/revisions.ts'
import type { OpenTables } from '../platform/storage/tables.ts'
import { vaultIn } from '../platform/storage/vault.ts'
import { openEventBus } from '../platform/work/event-bus.ts'
import { openNotifier } from '../platform/work/notifier.ts'
import { DELIVER, deliverer } from '../platform/work/outbox.ts'
import { openWorker } from '../platform/work/worker.ts'
import { openChannels } from './channels.ts'
import type { Config, Kernel } from './contract.ts'
import { openLife, type Living } from './life.ts'

/** What a kernel is opened with, besides tables. */
interface KernelNeeds {
  config: Config
  clock: Clock
  serving: boolean
  neighbours: Neighbours
  address: () => string
  userAgent: string
  /** See `outboxIn`: what in the outbox belongs to something that was deleted. */
  hiding: Parameters<typeof outboxIn>[3]
}

/** Opens everything that all features share, on open tables; closing it closes the tables too. */
export function openKernel<D extends Database> (
  { db, fingerprint, leads, close }: Pick<OpenTables<D>, 'db' | 'fingerprint' | 'leads' | 'close'>,
  { config, clock, serving, neighbours, address, userAgent, hiding }: KernelNeeds
): Kernel<D> & Living {
  const jobs = jobsIn(db, clock, neighbours)
  const worker = openWorker({ queue: jobs.queue, clock })
  const life = openLife({ worker, clock, leads, neighbours })
  const vault = vaultIn(db.directory, fingerprint)
  const outbox = outboxIn(db, clock, jobs, hiding)
  const channels = openChannels()
  const out = egress({ allowedHosts: config.ALLOWED_HOSTS, userAgent })
  worker.handle(DELIVER, deliverer(outbox, channels.senderOf))
  life.onClose(close)
  life.onClose(() => neighbours.close())
  life.onClose(() => out.close())
  // Creates agenthall.key at the first start.
  life.onWork(async () => await db.atomically(function * () { vault.prepare() }).catch(
    (error) => life.log.warn({}, error.message)
  ))
  return {
    config,
    serving,
    leads,
    address,
    clock,
    db,
    secrets: secretsIn(db),
    vault,
    revisions: revisionsOf(db, users, neighbours),
    idempotency: idempotencyIn(db, clock),
    standing: changesOf(db, neighbours, 'standing'),
    notifier: openNotifier(() => db.generation(), neighbours),
    eventBus: openEventBus(),
    jobs,
    worker,
    outbox,
    neighbours,
    userAgent,
    out,
    mail: config.SMTP_URL !== '' && config.MAIL_FROM !== ''
      ? { smtp: openSmtp(config.SMTP_URL), from: bareAddress(config.MAIL_FROM) }
      : undefined,
    check: outsideOnly(config.ALLOWED_HOSTS),
    ...channels,
    ...life
  }
}
