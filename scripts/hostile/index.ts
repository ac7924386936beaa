import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import BetterSqlite3 from 'better-sqlite3'
import { dataFile } from '../../src/data-file.ts'
import { as, seededAnew } from '../bench/data.ts'
import { agenthall, floor, type Server } from '../bench/servers.ts'
import { ATTACKS as USUAL, pick, visitor, type Answer, type Target, type Visitor } from './attacks.ts'
import { ODDITIES } from './oddities.ts'
import { ROUTED } from './routes.ts'

// Mixed hostile traffic by visitors and by a free key against a server in its own process, with a watcher beside it:
// npm run test:hostile -- --minutes 30. No answer is a 5xx, memory does not grow after the tenth minute, and nobody
// else waits longer than MOST_WAIT_MS beyond the machine's own: a server beside it that does nothing is watched in the
// same seconds, and shows for how long nobody gets a core. `--only NAME` runs only one kind.

const SITE = 'https://shop.example.com'
/** Visitors that attack in turn; each does this many things and is then replaced by another. */
const THINGS_EACH = 12
const SAMPLE_EVERY_MS = 30_000
/** Until everything needed on first use has been loaded. */
const WARM_MS = 5000
const MOST_WAIT_MS = 50
/** MiB an hour by which the heap may grow after the tenth minute. */
const MOST_SLOPE = 4

const { values: { minutes, attackers: atOnce, only } } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    attackers: { type: 'string', default: '8' },
    only: { type: 'string', multiple: true, default: [] }
  }
})
const ATTACKS = [...USUAL, ...Object.entries({ ...ODDITIES, ...ROUTED })]
const attacks = ATTACKS.filter(([name]) => only.length === 0 || only.includes(name))
if (attacks.length === 0) {
  console.error(`There are ${ATTACKS.map(([name]) => `"${name}"`).join(', ')}.`)
  process.exit(2)
}

interface Kind { asked: number, statuses: Map<number, number> }
interface Waits { p50: number, p99: number, most: number }
interface Sample { at: number, kept: number }

const directory = await seededAnew(`hostile-${process.pid}`, { users: 2, agents: 1 })
const raw = new BetterSqlite3(dataFile(path.resolve(directory)))
raw.exec("update users set tier = 'free' where id = 2")
raw.close()
const server = await agenthall({ directory, settings: { RATE_LIMITS: '{"free":100,"enterprise":0}', LOG_LEVEL: 'error' } })
const target = await prepared(server)
const bare = await floor({ '/healthz': '{"status":"ok"}' })
const watcher = await bystander(server.url, '[{}]', '10', '/healthz')
const bareWatcher = await bystander(bare.url, '[{}]', '10', '/healthz', 'bare')
const others = await bystander(server.url, JSON.stringify([as(1)]), '50')
// Attackers have machines of their own: here they get what the others leave.
setPriority(10)

const NOTHING: Waits = { p50: 0, p99: 0, most: 0 }
const kinds = new Map(attacks.map(([name]) => [name, { asked: 0, statuses: new Map() } satisfies Kind as Kind]))
const faults: string[] = []
const samples: Sample[] = []
const started = performance.now()
const until = started + Number(minutes) * 60_000
let visitors = 0
let done = 0

await pause(3000)
const attackers = Promise.all(Array.from({ length: Number(atOnce) }, attack))
await pause(WARM_MS)
await watched()
const waits = { health: NOTHING, machine: NOTHING, lists: NOTHING, held: 0, own: 0, beyond: 0 }
while (performance.now() < until) {
  await pause(Math.min(SAMPLE_EVERY_MS, until - performance.now()))
  const { health, machine, lists, held, own } = await watched()
  waits.health = worse(waits.health, health)
  waits.machine = worse(waits.machine, machine)
  waits.beyond = Math.max(waits.beyond, health.most - machine.most)
  waits.own = Math.max(waits.own, own)
  waits.lists = worse(waits.lists, lists)
  waits.held = Math.max(waits.held, held)
  samples.push({ at: performance.now() - started, kept: await server.kept() })
  // Collecting garbage blocked the loop: only this program requests that.
  await watched()
  const minute = ((performance.now() - started) / 60_000).toFixed(1)
  console.error([
    `${minute} min: ${done} attacks, ${faults.length} faults`,
    `/healthz ${health.most.toFixed(0)} ms, of the bare server ${machine.most.toFixed(0)} ms`,
    `loop held ${held.toFixed(0)} ms of processor time, ${own.toFixed(0)} ms without waiting for a core at most`,
    `${mib(samples.at(-1)!.kept)} MiB kept, RSS ${mib(server.memory())} MiB`
  ].join(', '))
}
await attackers
report()
for (const one of [watcher, bareWatcher, others]) one.kill()
await server.stop()
await bare.stop()
rmSync(directory, { recursive: true })

/** An attacker who keeps coming back as a new visitor until the time is up. */
async function attack () {
  while (performance.now() < until) {
    const one = await visitor(target, visitors++)
    if (!one) {
      await pause(200)
      continue
    }
    for (let i = 0; i < THINGS_EACH && performance.now() < until; i++) await attackOnce(one)
  }
}

async function attackOnce (one: Visitor) {
  const n = done++
  const [name, act] = pick(attacks, n)
  const kind = kinds.get(name)!
  for (const { status, text } of await act(target, one, Math.floor(n / attacks.length))) note(kind, name, status, text)
}

function note (kind: Kind, name: string, status: number, text: Answer['text']) {
  kind.asked++
  kind.statuses.set(status, (kind.statuses.get(status) ?? 0) + 1)
  if (status < 500) return
  faults.push(`${name}: ${status} ${text.slice(0, 200)}`)
  if (faults.length <= 10) console.error(faults.at(-1))
}

/** An agent on a site, whose account is of the highest tier, and one of an account of the free tier. */
async function prepared ({ url }: Server): Promise<Target> {
  const post = async <T>(user: number, at: string, body: object): Promise<T> => {
    const answer = await fetch(url + at, {
      method: 'POST', headers: { ...as(user), 'content-type': 'application/json' }, body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(`${at} was answered with ${answer.status}: ${await answer.text()}`)
    return (await answer.json() as { data: T }).data
  }
  for (const agent of [1, 2]) {
    await post(agent, `/v1/agents/${agent}/knowledge_sources`, {
      title: 'Returns', plain_text: 'Returns are accepted within 30 days of delivery. Shipping costs 4.90 EUR.'
    })
  }
  const { id } = await post<{ id: string }>(1, '/v1/agents/1/widget_keys', { name: 'Shop', origins: [SITE] })
  const freeKey = as(2).authorization.split(' ')[1]!
  return { port: Number(new URL(url).port), key: id, site: SITE, freeKey, freeAgent: 2 }
}

async function figures (child: ChildProcess): Promise<Waits> {
  child.send('figures')
  const [told] = await once(child, 'message') as [Waits]
  return told
}

/** A process that asks a server as others do. */
async function bystander (...asked: string[]): Promise<ChildProcess> {
  const child = fork(path.join(import.meta.dirname, '../bench/processes/bystanders.ts'), asked)
  await once(child, 'message')
  return child
}

/** How long those beside the attackers have waited since the last call, and those of a server that does nothing. */
async function watched () {
  const [health, machine, lists] = [await figures(watcher), await figures(bareWatcher), await figures(others)]
  const { held, own } = await server.loop()
  return { health, machine, lists, held, own }
}

function worse (a: Waits, b: Waits): Waits {
  return { p50: Math.max(a.p50, b.p50), p99: Math.max(a.p99, b.p99), most: Math.max(a.most, b.most) }
}

function report () {
  const { health, machine, lists, held, own, beyond } = waits
  for (const [name, { asked, statuses }] of kinds) {
    const told = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status || 'cut'}`).join(', ')
    console.log(`${name.padEnd(30)} ${String(asked).padStart(7)} requests: ${told}`)
  }
  const warm = samples.filter(({ at }) => at > Math.min(600_000, Number(minutes) * 20_000))
  const slope = slopeOf(warm) / 2 ** 20 * 3_600_000
  const isWell = faults.length === 0 && beyond <= MOST_WAIT_MS && (warm.length < 3 || slope <= MOST_SLOPE)
  console.log(`
${done} attacks by ${visitors} visitors in ${minutes} minutes; answers of 5xx: ${faults.length}
/healthz every 10 ms, the worst half minute: p50 ${health.p50.toFixed(1)}, p99 ${health.p99.toFixed(1)}, longest ${health.most.toFixed(1)} ms
a bare server beside it, likewise: p50 ${machine.p50.toFixed(1)}, p99 ${machine.p99.toFixed(1)}, longest ${machine.most.toFixed(1)} ms
/healthz beyond the bare server in the same half minute: ${beyond.toFixed(1)} ms (at most ${MOST_WAIT_MS})
another account's lists, likewise: p50 ${lists.p50.toFixed(1)}, p99 ${lists.p99.toFixed(1)}, longest ${lists.most.toFixed(1)} ms
the loop was held ${held.toFixed(1)} ms of processor time at most, ${own.toFixed(1)} ms without waiting for a core
memory after the tenth minute: ${slope.toFixed(2)} MiB an hour (at most ${MOST_SLOPE}), ${mib(warm.at(-1)?.kept ?? 0)} MiB at the end`)
  process.exitCode = isWell ? 0 : 1
}

/** Bytes per millisecond, by least squares. */
function slopeOf (all: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => all.reduce((sum, one) => sum + of(one), 0) / all.length
  const [at, kept] = [mean((one) => one.at), mean((one) => one.kept)]
  const spread = all.reduce((sum, one) => sum + (one.at - at) ** 2, 0)
  return spread === 0 ? 0 : all.reduce((sum, one) => sum + (one.at - at) * (one.kept - kept), 0) / spread
}

function mib (bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1)
}
