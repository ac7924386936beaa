import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { backup } from '../../src/platform/storage/sqlite/backup.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { accounting, dataFile } from '../../src/data-file.ts'
import { openStores } from '../../src/stores.ts'
import { whyNot } from './tools/recording.ts'
import { agenthall, client, cycles, percentile, runNode, scratch, seeded, serve } from './tools/server.ts'

/** Which of these are missing in a file, and whether the file is intact and has nothing half done. */
function lookInto (file: string, acknowledged: string[]) {
  const raw = new BetterSqlite3(file, { readonly: true })
  const rows = raw.prepare('select name, system_prompt as prompt from agents').all() as Array<{
    name: string, prompt: string
  }>
  const there = new Set(rows.map(({ name }) => name))
  const sound =
    raw.pragma('integrity_check', { simple: true }) === 'ok' &&
    rows.every(({ name, prompt }) => name === prompt) &&
    raw.prepare('select count(*) from idempotency_records').pluck().get() === rows.length
  raw.close()
  return { missing: acknowledged.filter((name) => !there.has(name)).length, sound }
}

t.test('backups made while others write are whole and hold all that was acknowledged before they began', async (t) => {
  const root = scratch(t)
  const directory = path.join(root, 'data')
  const server = await serve(directory)
  const send = client(server.address, server.key!)
  const acknowledged: string[] = []
  const times: Array<{ at: number, took: number }> = []
  const stop = new AbortController()
  let next = 0
  const writers = Array.from({ length: 8 }, async () => {
    while (!stop.signal.aborted) {
      const name = `agent-${next++}`
      const asked = performance.now()
      const { status } = await send('POST', '/v1/agents/', { name, systemPrompt: name }, { 'idempotency-key': name })
      if (status !== 201) throw new Error(String(status))
      acknowledged.push(name)
      times.push({ at: asked, took: performance.now() - asked })
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const calm = times.map(({ took }) => took)
  const begun = performance.now()
  const before = acknowledged.length
  const sum = { verified: 0, missing: 0, unsound: 0, plainCopiesMissing: 0 }
  for (let i = 0; i < cycles(20); i++) {
    const expected = [...acknowledged]
    const to = path.join(root, `backup-${i}.db`)
    const { code, said } = await agenthall(['backup', to, '--data', directory])
    t.equal(code, 0, said)
    const { missing, sound } = lookInto(to, expected)
    sum.missing += missing
    if (sound) sum.verified++
    else sum.unsound++
    // Planted: a backup that copies the file and forgets the log.
    const now = [...acknowledged]
    copyFileSync(dataFile(directory), path.join(root, `plain-${i}.db`))
    if (lookInto(path.join(root, `plain-${i}.db`), now).missing) sum.plainCopiesMissing++
  }
  const rate = (acknowledged.length - before) / (performance.now() - begun) * 1000
  stop.abort()
  await Promise.all(writers)
  await server.kill()
  const during = times.filter(({ at }) => at > begun).map(({ took }) => took)
  t.comment(
    `${sum.verified} backups good under ${rate.toFixed()} writes a second, ${sum.missing} acknowledged writes missing; writes p99 ${percentile(calm, 0.99).toFixed()} ms before, ${percentile(during, 0.99).toFixed()} ms meanwhile; ${sum.plainCopiesMissing} plain copies missed something`
  )
  t.equal(sum.verified, cycles(20))
  t.equal(sum.missing, 0)
  t.equal(sum.unsound, 0)
  t.ok(sum.plainCopiesMissing > 0, 'planted')
})

/** The system calls by which a restore changes the disk; it is killed at each of a number of them. */
const CALLS =
  'rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,pwrite64,ftruncate,copy_file_range,sendfile,chmod,fchmod,fchmodat'
type Call = [name: string, which: number]
const tracer = (call?: Call) => [
  'strace',
  '-f',
  '-qq',
  '-e',
  `trace=${CALLS}`,
  '-e',
  'signal=none',
  ...(call ? ['-e', `inject=${call[0]}:signal=KILL:when=${call[1]}`] : []),
  '-o'
]

/** The calls in a trace by the thread that made most of them: each with its index among those of its name. */
function callsIn (trace: string): Call[] {
  const lines = readFileSync(trace, 'utf8')
    .split('\n')
    .map((line) => /^(\d+) +(\w+)\(/.exec(line))
    .filter((line) => line !== null)
  const threads = [...Map.groupBy(lines, ([, thread]) => thread).values()]
  const counted = new Map<string, number>()
  return threads.toSorted((a, b) => b.length - a.length)[0]!.map(([, , name = '']) => {
    counted.set(name, (counted.get(name) ?? 0) + 1)
    return [name, counted.get(name)!]
  })
}

async function makeDirectory (directory: string, name: string, count = 20) {
  const stores = await openStores({ directory, clock: systemClock() })
  for (let i = 0; i < count; i++) await stores.access.createUser({ name })
  return stores
}

/** Which of them a restart finds: the old data, the new, or neither. */
async function whoIsIn (directory: string): Promise<string> {
  try {
    const stores = await openStores({ directory, clock: systemClock() })
    const names = (await stores.access.users()).map(({ name }) => name)
    await stores.close()
    return names.length === 20 && new Set(names).size === 1 ? names[0]! : `neither: ${names}`
  } catch (error) {
    return `neither: ${error}`
  }
}

/** A directory as a killed server leaves it, with old data partly in its log, and a backup of new data. */
async function oldAndNew (root: string) {
  const [old, fresh, from] = [path.join(root, 'old'), path.join(root, 'fresh'), path.join(root, 'new.db')]
  await (await makeDirectory(path.join(root, 'alive'), 'old', 15)).close()
  const stores = await makeDirectory(path.join(root, 'alive'), 'old', 5)
  mkdirSync(old)
  for (const end of ['', '-wal']) copyFileSync(dataFile(path.join(root, 'alive')) + end, dataFile(old) + end)
  await stores.close()
  await (await makeDirectory(fresh, 'new')).close()
  await backup({ file: dataFile(fresh), to: from, accounting })
  return { old, from }
}

async function killRestores (t: Tap, root: string, old: string, from: string, times: number) {
  const sum = { kills: 0, killed: 0, old: 0, fresh: 0, neither: [] as string[], calls: [] as Call[], litter: 0 }
  const run = (directory: string, call?: Call) =>
    runNode(['src/main.ts', 'restore', from, '--data', directory], {
      tracer: [...tracer(call), path.join(root, 'calls')]
    })
  const whole = path.join(root, 'whole')
  cpSync(old, whole, { recursive: true })
  t.equal((await run(whole)).code, 0)
  t.equal(await whoIsIn(whole), 'new')
  sum.calls = callsIn(path.join(root, 'calls'))
  for (; sum.kills < times; sum.kills++) {
    const directory = path.join(root, `killed-${sum.kills}`)
    cpSync(old, directory, { recursive: true })
    const { code } = await run(directory, sum.calls[Math.floor(sum.kills * sum.calls.length / times)])
    if (code !== 0) sum.killed++
    const found = await whoIsIn(directory)
    if (found === 'old') sum.old++
    else if (found === 'new') sum.fresh++
    else sum.neither.push(`${found} after ${sum.calls[Math.floor(sum.kills * sum.calls.length / times)]}`)
    if (readdirSync(directory).some((name) => name.includes('partial'))) sum.litter++
  }
  t.equal(sum.killed, times, 'all were killed')
  return sum
}

t.test(
  'a restore killed at any call that changes the disk leaves the old data or the new',
  { skip: whyNot() },
  async (t) => {
    const root = scratch(t)
    const { old, from } = await oldAndNew(root)
    const sum = await killRestores(t, root, old, from, cycles(25))
    t.comment(
      `${sum.kills} kills over ${sum.calls.length} calls: ${sum.old} old, ${sum.fresh} new, ${sum.neither.length} neither`
    )
    t.same(sum.neither, [])
    t.equal(sum.litter, 0, 'the next start removes what was being prepared')
    t.ok(sum.old > 0)
  }
)

t.test(
  'the same where the old file is damaged: it and its log stay together, or the new one is there',
  { skip: whyNot() },
  async (t) => {
    const root = scratch(t)
    const { old, from } = await oldAndNew(root)
    // Pages of tables other than those in the log, which would repair them.
    writeFileSync(dataFile(old), readFileSync(dataFile(old)).fill(0x5a, 4096 * 9, 4096 * 15))
    const pair = (file: string) =>
      ['', '-wal'].map((end) => existsSync(file + end) && readFileSync(file + end).toString('base64')).join()
    const before = pair(dataFile(old))
    t.match(await whoIsIn(old), 'is damaged')
    const sum = await killRestores(t, root, old, from, cycles(12))
    t.equal(pair(dataFile(old)), before)
    let together = 0
    for (let i = 0; i < sum.kills; i++) {
      const directory = path.join(root, `killed-${i}`)
      const kept = readdirSync(directory).find((name) => /replaced-\w+$/.test(name))
      if (pair(kept ? path.join(directory, kept) : dataFile(directory)) === before) together++
    }
    t.comment(
      `${sum.kills} kills over ${sum.calls.length} calls: ${sum.fresh} new, ${sum.neither.length} the damaged one; ${together} with its log beside it, unchanged`
    )
    t.equal(sum.fresh + sum.neither.length, sum.kills)
    t.ok(sum.neither.length > 0)
    t.equal(together, sum.kills)
  }
)

t.test('planted: a restore that copies over the data file leaves neither', async (t) => {
  const root = scratch(t)
  const { old, from } = await oldAndNew(root)
  const random = seeded(17)
  let neither = 0
  for (let i = 0; i < 5; i++) {
    const directory = path.join(root, `overwritten-${i}`)
    cpSync(old, directory, { recursive: true })
    const bytes = readFileSync(from)
    writeFileSync(dataFile(directory), bytes.subarray(0, Math.floor(random() * bytes.length)))
    if ((await whoIsIn(directory)).startsWith('neither')) neither++
  }
  t.comment(`${neither} of 5 are neither`)
  t.ok(neither > 0)
})

type Tap = Pick<typeof t, 'teardown' | 'equal' | 'ok'>
