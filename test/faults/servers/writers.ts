import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { client, seeded, serve, type Server } from '../tools/server.ts'

/** Concurrent writers. */
const WRITERS = 6
/** A client should get a response within this time; it goes elsewhere after longer. */
const ANSWERED_MS = 10_000
const PATIENCE_MS = 15_000

/** The clients' responses, and how they came. */
interface Heard {
  made: Map<string, number>
  said: number
  /** Responses that took longer than ten seconds, except those of a server that did not run. */
  slow: string[]
  refused: Map<number, number>
  wrong: string[]
}

/** Clients that write. */
interface Load {
  heard: Heard
  /** Servers that are not running now, from which nobody expects a response. */
  paused: Set<Server>
  /** Lets something happen for this many milliseconds and end; returns what was written meanwhile, in a sentence. */
  during (what: string, begin: () => unknown, end: () => unknown, ms: number): Promise<string>
  /** Ends it; returns the result, in a sentence. */
  end (): Promise<string>
  /** What is not as acknowledged, in the tables at this address. */
  lostIn (address: string): Promise<{ lost: unknown[], twice: unknown[], unfinished: number }>
}

/**
 * Creates agents and sends them messages, at any of the servers. Failed requests are retried elsewhere under the same
 * Idempotency-Key, until acknowledged or the test is over.
 */
async function write (
  { servers, key, paused, heard }: Pick<Load, 'heard' | 'paused'> & { servers: () => Server[], key: string },
  who: number, signal: AbortSignal
) {
  const random = seeded(who + 1)
  async function send (method: string, url: string, body: object, once: string) {
    while (!signal.aborted) {
      const all = servers()
      const one = all[Math.floor(random() * all.length)]!
      const began = performance.now()
      const answer = await Promise.race([
        client(one.address, key)(method, url, body, { 'idempotency-key': once }).catch(() => undefined),
        pause(PATIENCE_MS, undefined, { ref: false })
      ])
      const took = Math.round(performance.now() - began)
      if (took > ANSWERED_MS && !paused.has(one)) {
        heard.slow.push(`${method} ${url} at ${all.indexOf(one)}: ${answer?.status ?? 'nothing'} after ${took} ms`)
      }
      if (answer && answer.status < 300) return answer
      if (answer) heard.refused.set(answer.status, (heard.refused.get(answer.status) ?? 0) + 1)
      if (answer && answer.status !== 503 && answer.status !== 409) {
        heard.wrong.push(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return undefined
      }
      await pause(100 + random() * 200)
    }
    return undefined
  }
  for (let n = 0; !signal.aborted; n++) {
    const name = `w${who}-${n}`
    const made = await send('POST', '/v1/agents', { name, systemPrompt: name }, name)
    if (!made) continue
    const before = heard.made.get(name)
    if (before !== undefined && before !== made.body.data.id) heard.wrong.push(`${name} was made twice`)
    heard.made.set(name, made.body.data.id)
    const begun = await send('POST', `/v1/agents/${made.body.data.id}/conversations`, {}, `${name} talks`)
    const said = begun && await send(
      'POST', `/v1/conversations/${begun.body.data.id}/messages`, { text: 'Do you ship abroad?' }, `${name} asks`
    )
    if (said) heard.said++
    await pause(50)
  }
}

/** The faults that servers have logged, each kind once. */
export const faultsIn = (log: string) => [...new Map(readFileSync(log, 'utf8').split('\n').filter(Boolean)
  .map((line) => JSON.parse(line)).filter(({ err }) => err)
  .map(({ msg, err }) => [`${msg} ${err.code} ${err.message}`, err.stack]))].map((one) => one.join(': ')).join('\n')

/** Has a process believe that it is ten minutes later than it is. */
const AHEAD = '--import=data:text/javascript,const{now}=Date;Date.now=()=>now.call(Date)+600000'

/**
 * Starts one of several servers of a database, each with its own directory in `home` and the key of the first. The
 * clock of the third is ten minutes ahead.
 */
export async function serveIn (home: string, at: number, database: string, redis: string): Promise<Server> {
  const directory = path.join(home, String(at))
  mkdirSync(directory, { recursive: true })
  const [file, first] = [path.join(directory, 'agenthall.key'), path.join(home, '0', 'agenthall.key')]
  if (!existsSync(file) && existsSync(first)) copyFileSync(first, file)
  const env = {
    AGENTHALL_DATABASE: database, AGENTHALL_REDIS: redis, ...(at === 2 && { NODE_OPTIONS: AHEAD })
  }
  return await serve(directory, { log: path.join(home, 'log'), env })
}

/** Starts writing to the servers, which may change. */
export function loadOn (servers: () => Server[], key: string): Load {
  const heard: Heard = { made: new Map(), said: 0, slow: [], refused: new Map(), wrong: [] }
  const paused = new Set<Server>()
  const over = new AbortController()
  const writers = Array.from({ length: WRITERS }, (_, who) => write({ servers, key, paused, heard }, who, over.signal))
  return {
    heard,
    paused,
    async during (what, begin, end, ms) {
      const before = heard.made.size
      await begin()
      await pause(ms)
      await end()
      await pause(2000)
      return `${what}: ${heard.made.size - before} agents made, ${heard.slow.length} slow answers`
    },
    async end () {
      over.abort()
      await Promise.all(writers)
      return `${heard.made.size} agents, ${heard.said} answers, refused ${JSON.stringify([...heard.refused])}`
    },
    async lostIn (address) {
      const tables = new pg.Client({ connectionString: address })
      await tables.connect()
      try {
        const { rows: agents } = await tables.query('select name, id::integer as id from agents')
        const kept = new Map(agents.map(({ name, id }) => [name, id]))
        const unfinished = async () =>
          (await tables.query("select count(*)::integer as n from messages where status = 'generating'")).rows[0].n
        for (let i = 0; i < 60 && await unfinished() > 0; i++) await pause(1000)
        return {
          lost: [...heard.made].filter(([name, id]) => kept.get(name) !== id),
          twice: (await tables.query('select name from agents group by name having count(*) > 1')).rows,
          unfinished: await unfinished()
        }
      } finally {
        await tables.end()
      }
    }
  }
}
