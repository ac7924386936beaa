import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { systemClock } from '../../../src/platform/clock.ts'
import { dataFile } from '../../../src/data-file.ts'
import { openFileStores } from '../../../src/stores.ts'
import { as, seededAnew } from '../data.ts'
import { bystanders, figuresOf, fill } from './knowledge.ts'
import { ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall } from '../servers.ts'

const USERS = 21
const QUIET_MS = 10_000
/** How much later the 99th percentile of answers to others may be, and when what was deleted must be gone. */
const MOST_MORE_MS = 10
const GONE_WITHIN_S = 60

/** A full agent is deleted: how it affects others, and how soon its words are gone. */
export async function deleting (_how: Thoroughness): Promise<Line[]> {
  const directory = await seededAnew('deleting', { users: USERS, agents: 2 })
  const stores = await openFileStores({ directory, clock: systemClock(), synchronous: 'NORMAL' })
  fill(stores, 0, 30)
  await stores.close()
  const server = await agenthall({ directory })
  const others = await bystanders(server)
  await pause(2000)
  await figuresOf(others)
  await pause(QUIET_MS)
  const before = await figuresOf(others)
  const raw = new BetterSqlite3(dataFile(path.resolve(directory)), { readonly: true })
  const readable = raw.prepare('select count(*) from trainings where secret is not null').pluck()
  const left = raw.prepare('select count(*) from trainings').pluck()
  const started = performance.now()
  const busy = await server.used()
  const answer = await fetch(`${server.url}/v1/agents/1`, { method: 'DELETE', headers: as(1) })
  if (!answer.ok) throw new Error(`Deleting was answered with ${answer.status}.`)
  while (readable.get() !== 0) await pause(50)
  const seconds = (performance.now() - started) / 1000
  while (left.get() !== 0) await pause(250)
  const wiped = (performance.now() - started) / 1000
  const work = (await server.used() - busy) / 1e6
  const during = await figuresOf(others)
  raw.close()
  others.kill()
  await server.stop()
  return [
    {
      what: 'a full agent (30 MiB) is deleted: its words are gone',
      measured: `after ${seconds.toFixed(1)} s`,
      against: `out of the index after ${wiped.toFixed(0)} s; processor: ${work.toFixed(1)} s`,
      aim: `< ${GONE_WITHIN_S} s`,
      reached: seconds < GONE_WITHIN_S
    },
    {
      what: "  other users' lists meanwhile",
      measured: `p99 ${ms(during.p99)}`,
      against: `before ${ms(before.p99)}; longest ${ms(during.most)}, before ${ms(before.most)}`,
      aim: `< ${MOST_MORE_MS} ms more`,
      reached: during.p99 - before.p99 < MOST_MORE_MS
    }
  ]
}
