import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { knowledgeSources } from '../../../schema/sqlite/knowledge.ts'
import { chunk } from '../../../src/reading/chunk.ts'
import { entries } from '../../../src/search/scores.ts'
import { sqlitePassages } from '../../../src/search/passages.sqlite.ts'
import { sqliteSearch } from '../../../src/search/search.sqlite.ts'
import { answering, searchAtOnce } from '../collection.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { dataFile } from '../../../src/data-file.ts'
import { openFileStores, type FileStores } from '../../../src/stores.ts'
import { as, seededAnew } from '../data.ts'
import { drive, median } from '../drive.ts'
import { mib, ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Server } from '../servers.ts'
import { pdfOf, Writer } from '../texts.ts'

const MIB = 2 ** 20
/** The ceiling of one agent. */
const FULL_MIB = 30
const BYSTANDERS = 20
const PASSAGES_A_COMMIT = 2000
const QUERIES = 1000

/** What training takes and how it affects others, and searching a full agent alone and beside other full ones. */
export async function knowledge (how: Thoroughness): Promise<Line[]> {
  return [...await training(how), ...await searching(how)]
}

interface Trained {
  sending: number
  seconds: number
  p99: number
  most: number
  server: number
  children: number
  work: number
  reading: number
}

/**
 * Texts and a PDF through the server, from the first byte sent, and from the response that they were added, to
 * `Success`, while others request their lists.
 */
async function training ({ rounds }: Thoroughness): Promise<Line[]> {
  const directory = await seededAnew('knowledge-training', {
    users: 1 + BYSTANDERS, agents: 20, first: 20 * (rounds + 1)
  })
  const server = await agenthall({ directory })
  const others = await bystanders(server)
  const pdf = pdfOf(300)
  const kinds: Record<string, (agent: number) => Promise<Trained>> = {
    '10 MiB as JSON': (agent) => timed(server, others, agent, json(new Writer(agent).text(10 * MIB))),
    '30 MiB as JSON': (agent) => timed(server, others, agent, json(new Writer(agent).text(FULL_MIB * MIB))),
    '30 MiB as a file': (agent) =>
      timed(server, others, agent, file('text.txt', new Writer(agent).text(FULL_MIB * MIB))),
    'PDF of 300 pages': (agent) => timed(server, others, agent, file('pages.pdf', pdf))
  }
  const lines: Line[] = []
  let agent = 1
  await kinds['PDF of 300 pages']!(agentOfFirst(agent++))
  for (const [what, train] of Object.entries(kinds)) {
    const all: Trained[] = []
    for (let round = 0; round < Math.ceil(rounds / 2); round++) all.push(await train(agentOfFirst(agent++)))
    const found = linesOf(what, all)
    for (const { what, measured, against } of found) console.error(`  ${what.trim()}: ${measured}, ${against}`)
    lines.push(...found)
  }
  others.kill()
  await server.stop()
  return lines
}

/** The nth agent of the first user: users' agents are seeded in turn while all have some. */
const agentOfFirst = (n: number) => n <= 20 ? 1 + (n - 1) * (1 + BYSTANDERS) : 20 * (1 + BYSTANDERS) + n - 20

function linesOf (what: string, all: Trained[]): Line[] {
  const of = (figure: keyof Trained) => median(all.map((one) => one[figure]))
  const seconds = of('seconds')
  const size = Number(/^\d+(?= MiB)/.exec(what))
  const speed = size / (seconds - of('sending'))
  const busy = `processor: server ${(of('work') / 1e6).toFixed(1)} s, child ${(of('reading') / 1e6).toFixed(1)} s of ${seconds.toFixed(1)} s`
  return [
    size
      ? {
          what: `training ${what}, added to Success`,
          measured: `${speed.toFixed(1)} MiB/s`,
          against: `with sending it ${(size / seconds).toFixed(1)} MiB/s; ${busy}`,
          aim: '≥ 5 MiB/s',
          reached: speed >= 5
        }
      : {
          what: `training a ${what}`,
          measured: `${seconds.toFixed(2)} s`,
          against: busy,
          aim: '≤ 3 s',
          reached: seconds <= 3
        },
    {
      what: "  other users' lists meanwhile",
      measured: `p99 ${ms(of('p99'))}`,
      against: `longest ${ms(of('most'))}`,
      aim: '< 50 ms',
      reached: of('p99') < 50
    },
    {
      what: '  most memory',
      measured: `server ${mib(of('server'))}`,
      against: `child ${mib(of('children'))}`,
      aim: '',
      reached: true
    }
  ]
}

type Body = { body: string | FormData, headers?: Record<string, string> }

const json = (text: string): Body => ({
  body: JSON.stringify({ plain_text: text }), headers: { 'content-type': 'application/json' }
})

function file (name: string, content: string | Buffer): Body {
  const body = new FormData()
  body.set('file', new Blob([content as string]), name)
  return { body }
}

/** What is requested of a source. */
interface Bare { id: number, training_status: string, error: unknown }

async function timed (server: Server, others: ChildProcess, agent: number, { body, headers }: Body): Promise<Trained> {
  await figuresOf(others)
  const busy = await server.used()
  const read = server.usedByChildren()
  const memory = watchMemory(server)
  const started = performance.now()
  const url = `${server.url}/v1/agents/${agent}/knowledge_sources/`
  const added = (await (await fetch(url, { method: 'POST', headers: { ...headers, ...as(1) }, body })).json()) as {
    data: Bare[]
  }
  const sending = (performance.now() - started) / 1000
  const [first] = added.data ?? []
  if (!first) throw new Error(JSON.stringify(added))
  for (let source = first; source.training_status !== 'Success';) {
    if (source.training_status === 'Failed') throw new Error(JSON.stringify(source.error))
    await new Promise((resolve) => setTimeout(resolve, 20))
    source = (await (await fetch(url + source.id, { headers: as(1) })).json() as { data: Bare }).data
  }
  const seconds = (performance.now() - started) / 1000
  const work = await server.used() - busy
  const reading = server.usedByChildren() - read
  const { p99, most } = await figuresOf(others)
  return { sending, seconds, work, reading, p99, most, ...memory() }
}

export async function bystanders ({ url }: Server): Promise<ChildProcess> {
  const keys = Array.from({ length: BYSTANDERS }, (_none, n) => as(n + 2))
  const child = fork(path.join(import.meta.dirname, '../processes/bystanders.ts'), [url, JSON.stringify(keys)])
  await once(child, 'message')
  return child
}

export async function figuresOf (child: ChildProcess): Promise<{ p99: number, most: number }> {
  child.send('figures')
  const [figures] = await once(child, 'message') as [{ p99: number, most: number }]
  return figures
}

/**
 * Watches the peak memory of the server, and of its largest child; returns a function that stops it and returns the
 * peak.
 */
export function watchMemory (server: Server): () => { server: number, children: number } {
  const most = { server: 0, children: 0 }
  const watch = setInterval(() => {
    most.server = Math.max(most.server, server.memory())
    most.children = Math.max(most.children, ...server.children())
  }, 20)
  return () => {
    clearInterval(watch)
    return most
  }
}

/**
 * Searches in a full agent, by the function and over HTTP, alone and beside others that are as full, or as full as
 * requested.
 */
async function searching ({
  rounds, seconds, others = 20, filled: mibOfOthers = FULL_MIB
}: Thoroughness): Promise<Line[]> {
  const lines: Line[] = []
  for (const beside of new Set([0, others])) {
    const directory = await filled(beside, mibOfOthers)
    const where = beside ? `beside ${beside} others of ${mibOfOthers} MiB each` : 'alone'
    const size = mib(statSync(dataFile(directory)).size)
    const { p99, processor } = await byFunction(directory, rounds)
    lines.push({
      what: `search, a full agent (${FULL_MIB} MiB) ${where}, function`,
      measured: `p99 ${ms(p99)}`,
      against: `processor p99 ${ms(processor)}; file ${size}`,
      aim: '< 10 ms',
      reached: p99 < 10
    })
    const server = await agenthall({ directory })
    const writer = new Writer(77)
    const requests = Array.from({ length: 200 }, () => ({
      method: 'POST' as const,
      path: '/v1/agents/1/search',
      headers: { ...as(1), 'content-type': 'application/json' },
      body: JSON.stringify({ query: writer.query(), limit: 10 })
    }))
    await drive({ server, connections: 1, requests }, 1)
    const measured = []
    for (let round = 0; round < rounds; round++) {
      measured.push(await drive({ server, connections: 1, requests }, seconds))
    }
    const overHttp = median(measured.map((one) => one.p99))
    await server.stop()
    lines.push({
      what: '  through HTTP',
      measured: `p99 ${ms(overHttp)}`,
      against: `p50 ${ms(median(measured.map((one) => one.p50)))}; processor ${ms(median(measured.map((one) => one.work)) / 1000)} each`,
      aim: '< 10 ms',
      reached: overHttp < 10
    })
  }
  return lines
}

/** The 99th percentile of a search's wall-clock time, and of its CPU time, which other programs do not lengthen. */
async function byFunction (directory: string, rounds: number): Promise<{ p99: number, processor: number }> {
  const stores = await openFileStores({ directory, clock: systemClock() })
  const search = searchAtOnce(sqliteSearch(stores.db, stores.secrets))
  const writer = new Writer(78)
  const queries = Array.from({ length: QUERIES }, () => writer.query())
  const found: Array<{ p99: number, processor: number }> = []
  for (let round = 0; round <= rounds; round++) {
    const times = queries.map((query) => {
      const started = performance.now()
      const before = process.threadCpuUsage()
      stores.db.raw.transaction(() => search(1, query, 10))()
      const { user, system } = process.threadCpuUsage(before)
      return { took: performance.now() - started, processor: (user + system) / 1000 }
    })
    const p99 = (of: 'took' | 'processor') =>
      times.map((one) => one[of]).sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!
    // The first round reads the index from disk.
    if (round > 0) found.push({ p99: p99('took'), processor: p99('processor') })
  }
  await stores.close()
  return { p99: median(found.map((one) => one.p99)), processor: median(found.map((one) => one.processor)) }
}

/**
 * A directory with one full agent and this many others with this many MiB each, made once and reused. All know the
 * same, each with its own copy.
 */
async function filled (others: number, mibOfOthers: number): Promise<string> {
  const home = path.join(import.meta.dirname, '../../../.bench')
  const directory = path.join(home, `knowledge-full-beside-${others}-of-${mibOfOthers}`)
  if (existsSync(directory)) return directory
  console.error(`Filling ${1 + others} agents …`)
  const unfinished = await seededAnew('knowledge-unfinished', { users: 1, agents: 1 + others })
  const stores = await openFileStores({ directory: unfinished, clock: systemClock(), synchronous: 'NORMAL' })
  fill(stores, others, mibOfOthers)
  await stores.close()
  rmSync(directory, { recursive: true, force: true })
  renameSync(unfinished, directory)
  return directory
}

const SOURCE = {
  urls: [] as string[],
  file_path: '',
  title: 'Handbook',
  status: 'Success',
  training_status: 'Success',
  type: 'docs',
  parent_knowledge_source: null,
  metadata: {
    format: 'text',
    file_size: '0B',
    no_of_rows: null,
    no_of_chars: null,
    no_of_pages: null,
    upload_date: '2026-01-01T00:00:00+00:00'
  },
  is_selected: true,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z'
} as const

export function fill ({ db, secrets }: FileStores, others: number, mibOfOthers: number, first = 1) {
  const { raw, orm } = db
  const index = answering(sqlitePassages(db, secrets), ['upkeep'])
  const rootOf = raw
    .prepare<[number], number>('select id from knowledge_folders where agent_id = ? and parent_id is null')
    .pluck()
  const ready = chunk(
    new Writer(1)
      .text(FULL_MIB * MIB)
      .split('\n\n')
      .map((text) => ({ text, heading: null, page: null, row: null }))
  )
  const all = entries(ready, 'Text', 'en')
  for (let agent = first; agent <= first + others; agent++) {
    const passages = all.slice(0, agent === first ? all.length : Math.round(all.length * mibOfOthers / FULL_MIB))
    // A hit without a source to show is left out.
    const kept = orm
      .insert(knowledgeSources)
      .values({
        ...SOURCE,
        agent,
        owner: 1,
        agent_knowledge_folder: rootOf.get(agent)!,
        total_training_usage_bytes: passages.reduce((sum, { text }) => sum + text.length + 2, 0)
      })
      .returning({ id: knowledgeSources.id })
      .get()
    const training = index.begin({ agent, source: kept.id, language: 'en' }, passages.length)
    for (let at = 0; at < passages.length; at += PASSAGES_A_COMMIT) {
      raw.transaction(() => index.add(training, passages.slice(at, at + PASSAGES_A_COMMIT), at))()
    }
    index.publish(training)
  }
}
