import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../scale/redis.ts'

const [programs = ''] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()

/** Why no PostgreSQL of its own can be crashed here, or false where one can. */
export const skip = programs === '' || process.getuid!() !== 0
  ? 'needs PostgreSQL and to be root, to start one of its own (Debian: apt-get install postgresql)'
  : false

/** A PostgreSQL of this test alone: how it is crashed, and started again. */
export async function ownPostgres (t: Pick<Test, 'teardown'>) {
  const home = mkdtempSync('/var/tmp/agenthall-postgres-')
  const port = await freePort()
  const run = (command: string) => {
    const { status, stdout, stderr } = spawnSync('su', ['postgres', '-c', command], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command}: ${stdout} ${stderr}`)
  }
  spawnSync('chown', ['postgres', home])
  const data = path.join(home, 'data')
  run(`${programs}/initdb -D ${data} --auth=trust --username=postgres --no-sync`)
  const start = () => run(
    `${programs}/pg_ctl -D ${data} -w -l ${home}/log -o '-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c max_connections=200' start`
  )
  start()
  t.teardown(() => {
    run(`${programs}/pg_ctl -D ${data} -m immediate stop || true`)
    rmSync(home, { recursive: true, force: true })
  })
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** As when its machine loses power: what it acknowledged is in its log. */
    crash: () => run(`${programs}/pg_ctl -D ${data} -m immediate stop`),
    start
  }
}
