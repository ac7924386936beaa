import { hash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { systemClock } from '../../src/platform/clock.ts'
import { dataFile } from '../../src/data-file.ts'
import { openFileStores } from '../../src/stores.ts'
import { client, cycles, launch, percentile, scratch, seeded, serve } from './tools/server.ts'

const FILES = ['agenthall.db', 'agenthall.db-wal']
const COMMITS = 120

/**
 * A directory with the files of a process that was killed after these commits, each of which made one user, named by
 * its number.
 */
async function history (t: Tap, { checkpointAfter = Infinity } = {}) {
  const [life, death] = [scratch(t), scratch(t)]
  const stores = await openFileStores({ directory: life, clock: systemClock() })
  stores.db.raw.pragma('wal_autocheckpoint = 0')
  for (let i = 1; i <= COMMITS; i++) {
    await stores.access.createUser({ name: String(i) })
    if (i === checkpointAfter) stores.db.raw.pragma('wal_checkpoint(RESTART)')
  }
  for (const name of FILES) copyFileSync(path.join(life, name), path.join(death, name))
  await stores.close()
  return death
}

/** Whether a restart finds a prefix of the history: the first users, all of them up to one, and nothing broken. */
async function begins (directory: string): Promise<{ prefix: boolean, length: number }> {
  const stores = await openFileStores({ directory, clock: systemClock() })
  const { raw } = stores.db
  const names = raw.prepare('select name from users order by id').pluck().all()
  const keys = raw.prepare('select count(*) from api_keys').pluck().get()
  const sound = raw.pragma('integrity_check', { simple: true }) === 'ok'
  await stores.close()
  return {
    prefix: sound && keys === names.length && names.every((name, i) => name === String(i + 1)), length: names.length
  }
}

/**
 * Puts a log, after it was modified, next to the file, the given number of times, and counts the starts that found no
 * prefix of the history.
 */
async function mutate (t: Tap, from: string, times: number, change: (log: Buffer, random: () => number) => Buffer) {
  const random = seeded(5)
  const directory = path.join(scratch(t), 'mutated')
  const sum = { starts: 0, refused: 0, wrong: 0, lengths: new Set<number>() }
  const log = readFileSync(path.join(from, FILES[1]!))
  for (; sum.starts < times; sum.starts++) {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
    copyFileSync(dataFile(from), dataFile(directory))
    writeFileSync(`${dataFile(directory)}-wal`, change(Buffer.from(log), random))
    try {
      const { prefix, length } = await begins(directory)
      sum.lengths.add(length)
      if (!prefix) sum.wrong++
    } catch {
      sum.refused++
    }
  }
  return sum
}

t.test('a log that is cut off or has flipped bits leaves a beginning of the history', async (t) => {
  const from = await history(t)
  const sum = await mutate(t, from, cycles(500), (log, random) => {
    if (random() < 0.5) return log.subarray(0, Math.floor(random() * log.length))
    for (let flips = 1 + Math.floor(random() * 8); flips > 0; flips--) {
      log[Math.floor(random() * log.length)]! ^= 1 << Math.floor(random() * 8)
    }
    return log
  })
  t.comment(
    `${sum.starts} starts, ${sum.wrong} that were no beginning of the history, ${sum.refused} refused; ${sum.lengths.size} different lengths`
  )
  t.equal(sum.wrong, 0)
  t.equal(sum.refused, 0)
  t.ok(sum.lengths.size > 20)
})

t.test('planted: a log that belongs to another moment of the file is found out', async (t) => {
  // What a restore does that forgets the old log next to the new file.
  const [older, newer] = [await history(t), await history(t, { checkpointAfter: 60 })]
  const foreign = readFileSync(path.join(newer, FILES[1]!))
  const sum = await mutate(t, older, 1, () => foreign)
  rmSync(`${dataFile(older)}-wal`)
  t.comment(`${sum.wrong} wrong, ${sum.refused} refused`)
  t.equal(sum.wrong + sum.refused, 1)
})

const sums = (directory: string) =>
  FILES.map((name) => path.join(directory, name))
    .filter(existsSync)
    .map((file) => hash('sha256', readFileSync(file)))

/** A killed server's directory with enough data that most pages are used. */
async function killedServer (directory: string) {
  const server = await serve(directory)
  const send = client(server.address, server.key!)
  await Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      send('POST', '/v1/agents/', { name: `Agent ${i}`, systemPrompt: 'p'.repeat(i * 20) })
    )
  )
  // What is only in the log would hide a damaged page; a little of it should still be there.
  const raw = new BetterSqlite3(dataFile(directory))
  raw.pragma('wal_checkpoint(TRUNCATE)')
  raw.close()
  await send('PUT', '/v1/agents/1', { name: 'In the log' })
  await server.kill()
  rmSync(path.join(directory, 'agenthall.ballast'))
}

function seenByQuickCheck (file: string): boolean {
  try {
    const raw = new BetterSqlite3(file, { readonly: true })
    try {
      return raw.pragma('quick_check', { simple: true }) !== 'ok'
    } finally {
      raw.close()
    }
  } catch {
    return true
  }
}

/** Overwrites part of a page with noise: a few bytes, its header, or all of it. */
function ruin (bytes: Buffer, random: () => number) {
  const at = Math.floor(random() * bytes.length / 4096) * 4096
  const length = [8, 100, 4096][Math.floor(random() * 3)]!
  for (let i = 0; i < length; i++) bytes[at + i] = Math.floor(random() * 256)
  return bytes
}

t.test('a file with a ruined page is not served, and not changed', async (t) => {
  const root = scratch(t)
  const original = path.join(root, 'original')
  await killedServer(original)
  const random = seeded(3)
  const sum = { ruined: 0, seen: 0, refused: 0, silent: 0, changed: 0, took: [] as number[], naive: 0 }
  async function one (who: number) {
    const directory = path.join(root, `ruined-${who}`)
    rmSync(directory, { recursive: true, force: true })
    cpSync(original, directory, { recursive: true })
    writeFileSync(dataFile(directory), ruin(readFileSync(dataFile(directory)), random))
    const [copy, before] = [path.join(directory, 'copy.db'), sums(directory)]
    for (const end of ['', '-wal']) copyFileSync(dataFile(directory) + end, copy + end)
    const seen = seenByQuickCheck(copy)
    for (const name of readdirSync(directory)) if (name.startsWith('copy')) rmSync(path.join(directory, name))
    sum.ruined++
    if (!seen) return // The log in front of the page hides it, or it is not in the structure.
    sum.seen++
    if (servedNaively(directory)) sum.naive++
    const started = performance.now()
    const server = launch(directory)
    const timer = setTimeout(() => server.child.kill('SIGKILL'), 120_000)
    const code = await server.ended
    clearTimeout(timer)
    sum.took.push(performance.now() - started)
    if (code === 1 && /damaged|another program|newer/.test(server.said())) sum.refused++
    else sum.silent++
    if (sums(directory).join() !== before.join()) sum.changed++
  }
  await Promise.all([0, 1].map(async (who) => { while (sum.ruined < cycles(200)) await one(who) }))
  t.comment(
    `${sum.ruined} ruined, ${sum.seen} that quick_check can see, ${sum.refused} of them refused, half of them within ${percentile(sum.took, 0.5).toFixed()} ms, all within ${Math.max(...sum.took).toFixed()} ms, ${sum.changed} changed; without a check ${sum.naive} would have been served`
  )
  t.ok(sum.seen > sum.ruined / 4)
  t.equal(sum.refused, sum.seen)
  t.equal(sum.silent, 0)
  t.equal(sum.changed, 0)
  t.ok(sum.naive > 0, 'planted: a start without the check opens such a file and reads from it')
})

/** What a start without a check would do: open the file and read the first user. On a copy, since it may change it. */
function servedNaively (directory: string): boolean {
  const copy = `${directory}-naive`
  rmSync(copy, { recursive: true, force: true })
  cpSync(directory, copy, { recursive: true })
  try {
    const raw = new BetterSqlite3(dataFile(copy))
    try {
      return raw.prepare('select name from users where id = 1').pluck().get() !== undefined
    } finally {
      raw.close()
    }
  } catch {
    return false
  }
}

type Tap = Pick<typeof t, 'teardown'>
