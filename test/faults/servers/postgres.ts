import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Test } from 'tap'
import { freePort } from '../../scale/redis.ts'

const [programs = ''] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()

/** Why no separate PostgreSQL can be crashed here, or false where one can. */
export const skip = programs === '' || process.getuid!() !== 0
  ? 'needs PostgreSQL and to be root, to start one of its own (Debian: apt-get install postgresql)'
  : false

/** Runs a command as the user of PostgreSQL; meanwhile this process goes on, so that clients are not blocked by it. */
async function run (command: string) {
  const child = spawn('su', ['postgres', '-c', command], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => { said += text })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${command}: ${said}`)
}

/** A directory of the user that PostgreSQL runs as. */
function directoryOf (t: Pick<Test, 'teardown'>) {
  const home = mkdtempSync('/var/tmp/agenthall-postgres-')
  spawnSync('chown', ['postgres', home])
  t.teardown(async () => {
    await run(`${programs}/pg_ctl -D ${home}/data -m immediate stop || true`)
    rmSync(home, { recursive: true, force: true })
  })
  return home
}

/** Starts one with its data in a directory. */
async function started (home: string) {
  const port = await freePort()
  const start = () => run(
    `${programs}/pg_ctl -D ${home}/data -w -l ${home}/log -o '-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c max_connections=200' start`
  )
  await start()
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** As when its machine loses power: what it acknowledged is in its log. */
    crash: () => run(`${programs}/pg_ctl -D ${home}/data -m immediate stop`),
    start
  }
}

/** A PostgreSQL for this test alone: how it is crashed, and restarted. */
export async function ownPostgres (t: Pick<Test, 'teardown'>) {
  const home = directoryOf(t)
  await run(`${programs}/initdb -D ${home}/data --auth=trust --username=postgres --no-sync`)
  return await started(home)
}

/** A replica of it, without whose confirmation nothing is acknowledged from now on. */
export async function replicaOf (t: Pick<Test, 'teardown'>, primary: Awaited<ReturnType<typeof ownPostgres>>) {
  const home = directoryOf(t)
  await run(`${programs}/pg_basebackup -d ${primary.address} -D ${home}/data -R -X stream -c fast --no-sync`)
  const replica = await started(home)
  const client = new pg.Client({ connectionString: primary.address })
  await client.connect()
  await client.query("alter system set synchronous_standby_names = '*'")
  await client.query('select pg_reload_conf()')
  while ((await client.query("select from pg_stat_replication where sync_state = 'sync'")).rowCount === 0) await pause(100)
  await client.end()
  return { ...replica, promote: () => run(`${programs}/pg_ctl -D ${home}/data -w promote`) }
}
