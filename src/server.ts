import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { addressOf, buildApp } from './app.ts'
import type { Config } from './config.ts'
import { systemClock } from './platform/clock.ts'
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

/** Opens the data, listens, and makes the first user of a new installation. */
export async function startServer (config: Config, { log = true }: { log?: boolean } = {}): Promise<Running> {
  const clock = systemClock()
  const stores = await openStores({ directory: config.DATA, clock, serving: true })
  const app = await buildApp({ config, stores, clock, logger: log && { level: config.LOG_LEVEL } })
  await app.listen({ port: config.PORT, host: config.HOST })
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
      if (backups) await backups.stop()
      await app.close()
      stores.close()
    }
  }
}
