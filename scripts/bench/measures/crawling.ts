import { fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { dataFile } from '../../../src/data-file.ts'
import { as, seededAnew } from '../data.ts'
import { mib, ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Loop, type Server } from '../servers.ts'
import { bystanders, figuresOf, watchMemory } from './knowledge.ts'

const USERS = 21
const QUIET_MS = 2000
const READS = 200
const PAGES = 300
const PAGES_QUICK = 60
/** How much more memory the server may use, and how long anything may wait for it. */
const MOST_MIB = 64
const MOST_MS = 50

/** Websites made to cost as much as they can, see site.ts. */
const SITES = {
  'with a long <base> and 2,000 links each': '/base/0',
  'with 1,000 long links each': '/long/0',
  'of a sitemap of 1 MB with long addresses': '/map/sitemap.xml'
}

/** Hostile websites, each read page by page into its own agent: what it takes, stores, and does to others. */
export async function crawling ({ rounds }: Thoroughness): Promise<Line[]> {
  const directory = await seededAnew('crawling', { users: USERS, agents: 5 })
  const site = fork(path.join(import.meta.dirname, 'site.ts'))
  const [origin] = await once(site, 'message') as [string]
  // Nothing is cached between reads, so that each is a query.
  const settings = { ALLOWED_HOSTS: '127.0.0.1', LIST_CACHE_MIB: '0' }
  const server = await agenthall({ directory, settings })
  const others = await bystanders(server)
  const lines: Line[] = []
  const crawl = crawler(server, directory)
  // What is loaded on first use is not the site's doing.
  await crawl(1, `${origin}/other/0`, 1)
  const before = await reading(server, 1)
  for (const [n, [what, start]] of Object.entries(SITES).entries()) {
    const agent = 1 + (n + 1) * USERS
    await pause(QUIET_MS)
    await Promise.all([server.loop(), figuresOf(others)])
    const found = await crawl(agent, origin + start, rounds > 3 ? PAGES : PAGES_QUICK)
    const [loop, latency] = await Promise.all([server.loop(), figuresOf(others)])
    lines.push(...linesOf(what, { ...found, loop, latency }), await read(server, agent, before))
    for (const { what, measured, against } of lines.slice(-4)) console.error(`  ${what.trim()}: ${measured}, ${against}`)
  }
  others.kill()
  site.kill()
  await server.stop()
  return lines
}

/** What reading a website took: bytes, microseconds of CPU time. */
interface Crawled { pages: number, seconds: number, memory: number, work: number, children: number, file: number }

function crawler (server: Server, directory: string) {
  const file = dataFile(path.resolve(directory))
  const raw = new BetterSqlite3(file, { readonly: true })
  const count = (where: string) =>
    raw.prepare<[number], number>(`select count(*) from knowledge_sources where agent_id = ? and ${where}`).pluck()
  const open = count("training_status not in ('Success', 'Failed')")
  const trained = count("training_status = 'Success' and parent_id is not null")

  return async (agent: number, start: string, count: number): Promise<Crawled> => {
    const before = {
      work: await server.used(), children: server.usedByChildren(), file: statSync(file).size, memory: server.memory()
    }
    const most = watchMemory(server)
    const started = performance.now()
    const added = await fetch(`${server.url}/v1/agents/${agent}/knowledge_sources`, {
      method: 'POST',
      headers: { ...as(1), 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [start], count, depth: 3 })
    })
    if (!added.ok) throw new Error(await added.text())
    while (open.get(agent) !== 0) await pause(250)
    return {
      pages: trained.get(agent)!,
      seconds: (performance.now() - started) / 1000,
      memory: most().server - before.memory,
      work: await server.used() - before.work,
      children: server.usedByChildren() - before.children,
      file: statSync(file).size - before.file
    }
  }
}

/** The server's CPU time for reading an agent, and a page of its sources, in milliseconds. */
async function reading (server: Server, agent: number) {
  const workOf = async (path: string) => {
    const before = await server.used()
    for (let n = 0; n < READS; n++) await (await fetch(server.url + path, { headers: as(1) })).text()
    return (await server.used() - before) / 1000 / READS
  }
  const one = `/v1/agents/${agent}`
  return { agent: await workOf(one), sources: await workOf(`${one}/knowledge_sources/?limit=100`) }
}

async function read (server: Server, agent: number, before: { agent: number, sources: number }): Promise<Line> {
  const found = await reading(server, agent)
  return {
    what: '  reading the agent then',
    measured: `${ms(found.agent)} work`,
    against: `with one page ${ms(before.agent)}; 100 of its sources ${ms(found.sources)}`,
    aim: '< 10 ms',
    reached: found.agent < 10
  }
}

function linesOf (
  what: string,
  {
    pages, seconds, memory, work, children, file, loop, latency
  }: Crawled & { loop: Loop, latency: { p99: number, most: number } }
): Line[] {
  return [
    {
      what: `a site ${what}, ${pages} pages`,
      measured: `memory + ${mib(memory)}`,
      against: `${seconds.toFixed(0)} s; processor: server ${(work / 1e6).toFixed(1)} s, children ${(children / 1e6).toFixed(0)} s`,
      aim: `< ${MOST_MIB} MiB`,
      reached: memory < MOST_MIB * 2 ** 20
    },
    {
      what: '  the longest that anything waited for the server',
      measured: ms(loop.most),
      against: `p99 ${ms(loop.p99)}; waited for a core ${ms(loop.queued)} in all; others' lists p99 ${ms(latency.p99)}, longest ${ms(latency.most)}`,
      aim: `< ${MOST_MS} ms`,
      reached: loop.most < MOST_MS
    },
    {
      what: '  kept on disk for it',
      measured: mib(file),
      against: `${(file / 1000 / Math.max(1, pages)).toFixed(0)} KB a page`,
      aim: '',
      reached: true
    }
  ]
}
