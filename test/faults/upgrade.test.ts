import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { systemClock } from '../../src/platform/clock.ts'
import { knownMigrations, rowCounts } from '../../src/platform/storage/sqlite/migrate.ts'
import { dataFile } from '../../src/data-file.ts'
import { openStores } from '../../src/stores.ts'
import { FROM_SOURCE } from '../source.ts'
import { cycles, runNode, scratch, seeded } from './tools/server.ts'
import { slowRebuild } from './tools/slow-upgrade.ts'

const SCRIPT = path.join(import.meta.dirname, 'tools/slow-upgrade.ts')
const OLD = knownMigrations().length

async function oldDirectory (directory: string) {
  const stores = await openStores({ directory, clock: systemClock() })
  await Promise.all(Array.from({ length: 500 }, (_, i) => stores.access.createUser({ name: `User ${i}` })))
  await stores.close()
  return countsIn(directory).counts
}

function countsIn (directory: string) {
  const raw = new BetterSqlite3(dataFile(directory))
  const found = {
    version: raw.pragma('user_version', { simple: true }) as number,
    counts: JSON.stringify([...rowCounts(raw)].sort()),
    sound:
      raw.pragma('integrity_check', { simple: true }) === 'ok' &&
      (raw.pragma('foreign_key_check') as unknown[]).length === 0
  }
  raw.close()
  return found
}

/**
 * Runs the upgrade and kills it after this many milliseconds of work; if omitted, lets it end. Resolves to how long it
 * worked.
 */
async function upgrade (
  directory: string, { killAfter, careless = false }: { killAfter?: number, careless?: boolean } = {}
) {
  const args = [...FROM_SOURCE.slice(0, -1), SCRIPT, directory, ...(careless ? ['careless'] : [])]
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe'] })
  await once(child.stderr, 'data')
  const began = performance.now()
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter)
  await once(child, 'exit')
  clearTimeout(timer)
  return performance.now() - began
}

async function killUpgrades (t: Tap, times: number, careless: boolean) {
  const [original, directory] = [scratch(t), path.join(scratch(t), 'killed')]
  const before = await oldDirectory(original)
  const random = seeded(13)
  const sum = { kills: 0, old: 0, upgraded: 0, partial: 0, completed: 0 }
  const fresh = () => {
    rmSync(directory, { recursive: true, force: true })
    cpSync(original, directory, { recursive: true })
  }
  fresh()
  const whole = await upgrade(directory, { careless })
  for (; sum.kills < times; sum.kills++) {
    fresh()
    await upgrade(directory, { careless, killAfter: random() * whole })
    const { version, counts, sound } = countsIn(directory)
    if (!sound || counts !== before) sum.partial++
    else if (version === OLD) sum.old++
    else if (version === OLD + 1) sum.upgraded++
    if (careless && sum.partial) break
    if (careless || sum.kills % 5) continue
    const stores = await openStores({ directory, clock: systemClock(), known: [...knownMigrations(), slowRebuild()] })
    await stores.close()
    const after = countsIn(directory)
    const litter = readdirSync(directory)
      .concat(readdirSync(path.join(directory, 'snapshots')))
      .filter((name) => name.includes('partial'))
    if (after.version === OLD + 1 && after.counts === before && after.sound && litter.length === 0) sum.completed++
  }
  return { ...sum, whole }
}

t.test('an upgrade killed at any moment did not happen or did happen, and the next start completes it', async (t) => {
  const times = cycles(50)
  const sum = await killUpgrades(t, times, false)
  t.comment(
    `${sum.kills} kills within ${sum.whole.toFixed()} ms: ${sum.old} left the old file, ${sum.upgraded} the new one, ${sum.partial} something else; ${sum.completed} completed afterwards`
  )
  t.equal(sum.partial, 0)
  t.equal(sum.old + sum.upgraded, times)
  t.ok(sum.old > times / 5)
  t.equal(sum.completed, Math.ceil(times / 5))
})

t.test('planted: an upgrade that is not one transaction is found out', async (t) => {
  const sum = await killUpgrades(t, 40, true)
  t.comment(`found out after ${sum.kills + 1} kills`)
  t.ok(sum.partial > 0)
})

t.test('an older program refuses the upgraded file in a sentence, and soon', async (t) => {
  const directory = scratch(t)
  await oldDirectory(directory)
  await upgrade(directory)
  const started = performance.now()
  const { code, said } = await runNode(['src/main.ts', 'serve', '--port', '0', '--data', directory])
  t.comment(`refused after ${(performance.now() - started).toFixed()} ms`)
  t.equal(code, 1)
  t.match(said, /newer than this program/)
})

type Tap = Pick<typeof t, 'teardown'>
