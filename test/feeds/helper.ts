import { once } from 'node:events'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { FeedDraft, Feed } from '../../schema/feeds.ts'
import type { KnowledgeSource } from '../../schema/knowledge.ts'
import { readersWith } from '../../src/feeds/kinds/readers.ts'
import { looking } from '../../src/feeds/looking/look.ts'
import { build, draft } from '../helper.ts'

/** Long before anything that a test does, so that a file counts as completely written. */
const LONG_AGO = new Date('2020-01-01T00:00:00Z')

/** A request as a stand-in for another system receives it. */
export interface Asked { url: URL, method: string, headers: IncomingMessage['headers'], body: string }

/** Sends JSON. */
export const sends = (reply: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) =>
  reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

/** A stand-in for another system on loopback: its address, and its requests. */
export async function system (t: Test, answer: (asked: Asked, reply: ServerResponse) => unknown) {
  const asked: Asked[] = []
  const server = createServer(async (request, reply) => {
    const one = {
      url: new URL(request.url!, 'http://x'), method: request.method!, headers: request.headers, body: await textOf(request)
    }
    if (one.url.pathname === '/robots.txt') return reply.writeHead(404).end()
    asked.push(one)
    answer(one, reply)
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, url: `http://${host}`, asked, env: { AGENTHALL_ALLOWED_HOSTS: host } }
}

/** An agent on a server that may watch a folder, and helpers for tests of feeds. */
export async function fed (t: Test, env: Record<string, string> = {}, options: { faults?: unknown[] } = {}) {
  const root = t.testdir({ data: {}, docs: {}, elsewhere: {} })
  const docs = path.join(root, 'docs')
  const built = await build(
    t, { AGENTHALL_FOLDERS: docs, ...env }, { directory: path.join(root, 'data'), ...options })
  const { user, settled, clock, stores } = built
  // Hints come when the machine has time for them; watching.test.ts covers them.
  stores.feeds.watch = async () => ({})
  const me = await user()
  const { id } = (await me.post('/v1/agents', draft)).json().data as { id: number }
  const at = `/v1/agents/${id}`

  /** Writes a file that has been quiet for long; with a different time each time. */
  let ticks = 0
  function write (name: string, text: string | Buffer) {
    const place = path.join(docs, name)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, text)
    const when = new Date(LONG_AGO.getTime() + ++ticks * 1000)
    utimesSync(place, when, when)
    return place
  }
  const feeds = async (): Promise<Feed[]> => (await me.get(`${at}/feeds`)).json().data
  const feed = async (of: number): Promise<Feed> => (await me.get(`${at}/feeds/${of}`)).json().data
  const sources = async (): Promise<KnowledgeSource[]> => (await me.get(`${at}/knowledge_sources?limit=100`)).json().data
  /** Creates a feed and runs its first look. */
  async function make (given: Omit<FeedDraft, 'name'> & { name?: string }): Promise<number> {
    const made = await me.post(`${at}/feeds`, { name: 'A feed', ...given })
    if (made.statusCode !== 201) throw new Error(made.body)
    await settled()
    return made.json().data.id
  }
  const watch = (more: Partial<FeedDraft> = {}) => make({ kind: 'folder', config: { path: docs }, ...more })
  /** Looks at a feed and runs all that follows. */
  async function look (of: number) {
    const answer = await me.post(`${at}/feeds/${of}/look`)
    await settled()
    return answer.statusCode
  }
  /** Lets time pass, and runs what is due. */
  async function after (ms: number) {
    clock.advance(ms)
    await stores.jobs.ask([])
    await settled()
  }
  /** The texts of the agent's sources, by their keys at their feeds. */
  async function texts (): Promise<Record<string, string>> {
    const all: Record<string, string> = {}
    for (const { id: source, origin_key: key } of await sources()) {
      const answer = await me.get(`${at}/knowledge_sources/${source}/text`)
      all[key ?? String(source)] = answer.statusCode === 200 ? answer.body : `${answer.statusCode}`
    }
    return all
  }
  /** Runs looks alone, and leaves training to others. */
  async function looksOnly () {
    const { feeding, blobs } = stores.knowledge
    const look = looking({
      store: stores.feeds.store,
      blobs,
      clock,
      readerOf: readersWith({ ...feeding, clock, folders: [docs], fileLimit: 1_000_000 })
    })
    for (;;) {
      const job = await stores.jobs.claim({ kinds: ['feed'], lane: 'outside', perOwner: 9 })
      if (!job) return
      await look(job, new AbortController().signal)
    }
  }
  const trainings = (): number => stores.db.raw.prepare<[], number>('select coalesce(max(id), 0) from trainings').pluck().get()!
  /** Events that wait to be published, by type. */
  const told = (type: string) => stores.db.raw.prepare<[string], string>(
    "select payload from outbox where payload ->> '$.type' = ?").pluck().all(type).map((one) => JSON.parse(one))

  const done = { write, make, watch, look, looksOnly, after }
  return { ...built, ...done, root, docs, me, id, at, feeds, feed, sources, texts, trainings, told }
}
