import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { addressOf, buildApp } from './app.ts'
import type { Config } from './config.ts'
import { systemClock } from './platform/clock.ts'
import type { DatabaseOptions } from './platform/database.ts'
import { backupApart, durationMs, scheduleBackups } from './platform/scheduled-backups.ts'
import { openStores } from './stores.ts'

/** A server that listens, and how to stop it. */
export interface Running {
  /** Where it can be reached, without a slash at its end. */
  address: string
  app: FastifyInstance
  /** Key of the first user when this start made one. */
  firstKey: string | undefined
  close (): Promise<void>
}

/** What no setting and no environment can reach: only who starts the server from code. */
export interface StartOptions {
  log?: boolean
  /** How the benchmark measures what durability costs. */
  database?: Pick<DatabaseOptions, 'synchronous' | 'grouped'> | undefined
}

/** Opens the data, listens, and makes the first user of a new installation. */
export async function startServer (config: Config, { log = true, database }: StartOptions = {}): Promise<Running> {
  const clock = systemClock()
  const stores = await openStores({ config, clock, serving: true, ...database })
  const closing = new AbortController()
  const app = await buildApp({ config, stores, clock, closing: closing.signal, logger: log && { level: config.LOG_LEVEL } })
  await app.listen({ port: config.PORT, host: config.HOST })
  const worker = await stores.knowledge.work((error, job) => app.log.error({ err: error, job }, 'background work failed'))
  const welcome = await stores.access.createFirstUser({ name: 'First user' })
  const backups = config.BACKUP_EVERY && scheduleBackups({
    everyMs: durationMs(config.BACKUP_EVERY),
    keep: config.BACKUP_KEEP,
    folder: config.BACKUP_DIR || path.join(config.DATA, 'backups'),
    make: backupApart(config.DATA),
    clock,
    log: app.log
  })
  return {
    address: addressOf(app, config),
    app,
    firstKey: welcome?.key,
    async close () {
      closing.abort()
      if (backups) await backups.stop()
      await app.close()
      await worker.stop()
      await stores.knowledge.close()
      stores.close()
    }
  }
}
