import type { Config } from '../../config.ts'
import { allFaults, sumFaults } from '../../data-file.ts'
import { Refusal } from '../../platform/errors.ts'
import { redisVersion } from '../../platform/neighbours/redis.ts'
import { keyStanding } from '../../platform/storage/vault.ts'
import { openPostgres } from '../../platform/storage/postgres/open.ts'
import { openingRefusal } from '../../platform/storage/postgres/refusals.ts'
import { standingIn } from '../../platform/storage/postgres/upgrade.ts'
import { knownMigrations } from '../../platform/storage/sqlite/migrate.ts'
import type { OpenTables } from '../../platform/storage/tables.ts'
import { VERSION } from '../../version.ts'
import { sentenceOf } from '../common.ts'

/** The result of one check, see `doctor`. */
interface Check { check: string, ok: boolean, finding: string }

/** The checks of `doctor` if PostgreSQL stores everything. Nothing is changed there. */
export async function examineDatabase (config: Config, { thorough }: { thorough: boolean }): Promise<Check[]> {
  let found: { version: number, postgres: string }
  try {
    found = await standingIn(config.DATABASE)
  } catch (error) {
    return [{ check: 'database', ok: false, finding: sentenceOf(openingRefusal(error)) }]
  }
  const newest = knownMigrations().length
  const checks = [
    { check: 'database', ok: true, finding: `PostgreSQL ${found.postgres}` },
    { check: 'program', ok: true, finding: `Agenthall ${VERSION}, Node ${process.version}` },
    {
      check: 'version',
      ok: true,
      finding: found.version < newest ? `${found.version}; the next start upgrades it to ${newest}` : `${found.version}, the newest`
    }
  ]
  if (found.version < newest) return checks
  return [
    ...checks,
    ...await insideOf(config, thorough),
    ...config.REDIS === '' ? [] : [await look('redis', async () => `Redis ${await redisVersion(config.REDIS)}`)],
    { check: 'backups', ok: true, finding: 'are made with the tools of PostgreSQL; keep a copy of agenthall.key with them' }
  ]
}

async function insideOf ({ DATABASE: address, DATA: directory }: Config, thorough: boolean): Promise<Check[]> {
  const opened = await openPostgres(
    { address, directory, begin: false }, (tables) => tables)
  try {
    return [
      await look('content', async () => await contentOf(opened, thorough)),
      await look('key', async () => keyStanding(directory, opened.fingerprint.read()))
    ]
  } finally {
    opened.close()
  }
}

async function look (check: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { check, ok: true, finding: await work() }
  } catch (error) {
    return { check, ok: false, finding: sentenceOf(error) }
  }
}

async function contentOf ({ db }: OpenTables, thorough: boolean): Promise<string> {
  const faults = await db.read(() => (thorough ? allFaults : sumFaults)(db))
  if (faults.length > 0) throw new Refusal('unavailable', `${faults.join('; ')}. Restore a backup, or report this if it comes back.`)
  return `sums agree${thorough ? ', and everything that is stored can be opened' : ''}`
}
