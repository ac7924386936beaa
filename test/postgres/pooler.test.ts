import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { build } from '../helper.ts'
import { freePort } from '../scale/redis.ts'
import { connected, emptyDatabase, skip as withoutServer } from './database.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
const skip = withoutServer || (!existsSync(PROGRAM) || process.getuid!() !== 0
  ? 'needs PgBouncer and to be root (Debian: apt-get install pgbouncer)'
  : false)
const IGNORED = 'ignore_startup_parameters=statement_timeout,idle_in_transaction_session_timeout'

/** The address of an empty database behind a PgBouncer for this test alone. */
async function pooled (t: Test, mode: 'session' | 'transaction', more = IGNORED) {
  const database = new URL(await emptyDatabase(t))
  const home = mkdtempSync('/var/tmp/agenthall-pooler-')
  const port = await freePort()
  const [settings, users] = [path.join(home, 'ini'), path.join(home, 'users')]
  writeFileSync(users, `"${database.username}" "${database.password}"\n`)
  writeFileSync(settings, `[databases]
* = host=${database.hostname} port=${database.port || 5432}
[pgbouncer]
listen_addr=127.0.0.1
listen_port=${port}
unix_socket_dir=
auth_type=plain
auth_file=${users}
pool_mode=${mode}
${more}
`)
  spawnSync('chown', ['-R', 'postgres', home])
  const child = spawn('su', ['postgres', '-c', `exec ${PROGRAM} ${settings}`], { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGINT')
    await once(child, 'close')
    rmSync(home, { recursive: true, force: true })
  })
  const address = Object.assign(new URL(database), { port: String(port), hostname: '127.0.0.1' }).href
  for (;;) {
    const client = await connected(address).catch(() => undefined)
    await client?.end()
    if (client) return address
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

t.test('behind a pooler that keeps sessions it is served as without one', { skip }, async (t) => {
  const { user } = await build(t, { AGENTHALL_DATABASE: await pooled(t, 'session') })
  const as = await user()
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => as.post('/v1/agents', { name: `Ada ${n}`, systemPrompt: 'x' })))
  t.strictSame([...new Set(made.map(({ statusCode }) => statusCode))], [201])
  t.equal((await as.get('/v1/agents?limit=50')).json().data.length, 20)
})

// Was wrong: it started, and every second request was answered with 500.
t.test('a pooler that gives a connection to several in turn is refused in a sentence', { skip }, async (t) => {
  await t.rejects(build(t, { AGENTHALL_DATABASE: await pooled(t, 'transaction') }), { code: 'conflict', message: /pool_mode = session/ })
})

// Was wrong: it ended with a stack trace.
t.test('a pooler that takes no time-outs is refused with what it has to be told', { skip }, async (t) => {
  await t.rejects(
    build(t, { AGENTHALL_DATABASE: await pooled(t, 'session', '') }), { code: 'conflict', message: /ignore_startup_parameters/ }
  )
})
