import '../bare-children.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { knownMigrations } from '../../src/platform/storage/sqlite/migrate.ts'
import { run } from '../../src/cli/index.ts'
import { dataFile } from '../../src/data-file.ts'
import { openStores } from '../../src/stores.ts'
import { fixedClock } from '../helper.ts'
import { FROM_SOURCE } from '../source.ts'

/** Runs a command and returns its output. */
async function agenthall (args: string[], { env = {}, watched = false } = {}) {
  const said = { out: '', note: '', progress: [] as string[] }
  const { exitCode } = await run(args, {
    env,
    out: (text) => { said.out += text },
    note: (text) => { said.note += text },
    ...(watched && { progress: (text: string) => { said.progress.push(text) } })
  })
  return { ...said, exitCode }
}

t.test('backup, restore and doctor, as an operator uses them', async (t) => {
  const root = t.testdir({})
  const data = ['--data', path.join(root, 'data')]
  const to = path.join(root, 'backup.db')
  t.match(await agenthall(['backup', to, ...data]), {
    exitCode: 1, note: /There is no Agenthall data in .*data\. There is nothing at .*Say with --data/
  })
  t.match(await agenthall(['users', 'create', '--name', 'Ada', ...data]), { exitCode: 0 })
  const backedUp = await agenthall(['backup', to, ...data], { watched: true })
  t.match(backedUp, { exitCode: 0, out: /Backed up to .* and verified: 3 rows in \d+ tables, \d+ KiB, version \d+\./ })
  t.same(backedUp.progress.slice(-2), ['Verifying the copy', ''])
  t.match(await agenthall(['backup', to, ...data]), { exitCode: 1, note: /--force/ })
  t.match(JSON.parse((await agenthall(['backup', to, '--force', '--json', ...data])).out), { to, rows: 3 })

  await agenthall(['users', 'create', '--name', 'Later', ...data])
  const restored = await agenthall(['restore', to, ...data])
  t.match(restored, { exitCode: 0, out: /Restored .*: 3 rows.*\nThe previous data is kept in .*\.replaced-/ })
  t.notMatch((await agenthall(['users', 'list', ...data])).out, 'Later')
  const elsewhere = await agenthall(['restore', to, '--json', '--data', path.join(root, 'new')])
  t.match(JSON.parse(elsewhere.out), { from: to, rows: 3, kept: null })
  t.match(await agenthall(['restore', to, '--data', path.join(root, 'third')]), { out: /version \d+\.$/ })

  const healthy = await agenthall(['doctor', ...data])
  t.match(healthy, { exitCode: 0, note: '', out: /content +ok +intact; references and sums agree/ })
})

t.test('what is no backup is said to be none, not a damaged data file that a restore would mend', async (t) => {
  // Was wrong: it named the copy that was checked, deleted by then, and said to restore a backup.
  const root = t.testdir({ 'notes.txt': 'These are no data.\n'.repeat(1000) })
  const restored = await agenthall(['restore', path.join(root, 'notes.txt'), '--data', path.join(root, 'data')])
  t.match(restored, { exitCode: 1, note: 'The file is not a backup, or is damaged (file is not a database). It is not used.' })
  t.notMatch(restored.note, /partial|restore/)
  t.same(readdirSync(path.join(root, 'data')).filter((name) => name !== 'agenthall.lock'), [])
})

t.test('while a server runs nothing is restored, and doctor says which process serves', async (t) => {
  const directory = t.testdir({})
  const server = spawn(process.execPath, [...FROM_SOURCE, 'serve', '--port', '0', '--data', directory], {
    env: {}, stdio: ['ignore', 'ignore', 'pipe']
  })
  let said = ''
  await new Promise<void>((resolve) =>
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      if ((said += text).includes('listens on')) resolve()
    })
  )
  const second = await agenthall(['serve', '--port', '0', '--data', directory])
  t.match(second, { exitCode: 1, note: /Another Agenthall is using/ })
  const to = path.join(import.meta.dirname, '../fixtures/databases/0.1.0.db')
  t.match(await agenthall(['restore', to, '--data', directory]), { exitCode: 1, note: /A server is using .* Stop it/ })
  t.match(
    (await agenthall(['doctor', '--data', directory])).out, new RegExp(`server +ok +runs as process ${server.pid}`)
  )
  server.kill('SIGKILL')
  await once(server, 'exit')
  t.match(
    (await agenthall(['doctor', '--data', directory])).out,
    /server +ok +does not run; process \d+ was killed while it served/
  )
})

t.test('doctor finds what is wrong and changes nothing', async (t) => {
  const directory = t.testdir({})
  const doctor = async (env = {}) => {
    const { out, exitCode } = await agenthall(['doctor', '--json', '--data', directory], { env })
    const wrong = (JSON.parse(out).checks as Array<{ check: string, ok: boolean, finding: string }>).filter(
      ({ ok }) => !ok
    )
    t.equal(exitCode, wrong.length ? 1 : 0)
    return Object.fromEntries(wrong.map(({ check, finding }) => [check, finding]))
  }
  t.match(await doctor(), { file: /There is no Agenthall data in/ })
  mkdirSync(path.dirname(dataFile(directory)), { recursive: true })
  writeFileSync(dataFile(directory), '')
  t.match(await doctor(), { file: /is empty or missing, and not because of this program\. Restore a backup/ })
  rmSync(dataFile(directory))
  const { access, close } = await openStores({ directory, clock: fixedClock(Date.now() + 86_400_000) })
  await access.createUser({ name: 'From tomorrow' })
  close()
  t.match(await doctor(), { clock: /Correct the clock/ })

  const raw = new BetterSqlite3(dataFile(directory))
  const change = (sql: string) => raw.exec(sql)
  change("update users set updated_at = '2020'")
  t.same(await doctor(), {})
  change('create view odd as select 1')
  t.match(await doctor(), { version: /altered: view odd is not ours/ })
  change('drop view odd; pragma foreign_keys = off; update api_keys set user_id = 9')
  t.match(await doctor(), { content: /a row of api_keys refers/ })
  change('update api_keys set user_id = 1; pragma user_version = 0')
  t.match(await doctor(), { version: /altered/ })
  raw.pragma('journal_mode = DELETE')
  raw.pragma(`user_version = ${knownMigrations().length}`)
  raw.close()
  t.match((await agenthall(['doctor', '--data', directory])).out, /next start turns the write-ahead log on/)

  const scheduled = { AGENTHALL_BACKUP_EVERY: '1h' }
  t.match(await doctor(scheduled), { backups: /No backup in .*backups is younger than twice 1h/ })
  mkdirSync(path.join(directory, 'backups'))
  t.match(await doctor(scheduled), { backups: /No backup/ })
  const backup = path.join(directory, 'backups', 'agenthall-20260101T000000000Z.db')
  writeFileSync(backup, '')
  t.same(await doctor(scheduled), {})
  utimesSync(backup, 0, 0)
  t.match(await doctor(scheduled), { backups: /No backup/ })

  const drive = (file: string) => doctor({ AGENTHALL_GOOGLE_SERVICE_ACCOUNT: path.join(directory, file) })
  t.match(await drive('none.json'), { drive: /^AGENTHALL_GOOGLE_SERVICE_ACCOUNT cannot be used: There is nothing at / })
  t.match(await drive('backups'), {
    drive: /^AGENTHALL_GOOGLE_SERVICE_ACCOUNT cannot be used: .*backups is not a file\.$/
  })
  writeFileSync(path.join(directory, 'account.json'), '{}')
  t.same(await drive('account.json'), {})

  const before = readFileSync(dataFile(directory))
  writeFileSync(dataFile(directory), readFileSync(dataFile(directory)).fill(0x5a, 4096 * 8, 4096 * 12))
  const damaged = readFileSync(dataFile(directory))
  t.match(await doctor(), { content: /./ })
  t.same(readFileSync(dataFile(directory)), damaged)
  t.notSame(damaged, before)
  t.notOk(existsSync(path.join(directory, 'snapshots')))
  t.ok(readdirSync(directory).includes('agenthall.db'))
})

t.test('a server backs itself up when told to', async (t) => {
  const directory = t.testdir({})
  const { server } = await run(['serve', '--port', '0', '--data', directory], {
    env: { AGENTHALL_BACKUP_EVERY: '1h', AGENTHALL_LOG_LEVEL: 'silent' }, out () {}, note () {}
  })
  const made = () =>
    existsSync(path.join(directory, 'backups')) &&
    readdirSync(path.join(directory, 'backups')).some((name) => name.endsWith('Z.db'))
  while (!made()) await new Promise((resolve) => setTimeout(resolve, 20))
  await server!.close()
  t.match(await agenthall(['doctor', '--data', directory], { env: { AGENTHALL_BACKUP_EVERY: '1h' } }), {
    exitCode: 0, out: /backups +ok +the newest is from/
  })
})
