import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { systemClock } from '../../../src/platform/clock.ts'
import { openFileStores } from '../../../src/stores.ts'
import { as, seededAnew } from '../data.ts'
import { kb, ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Server } from '../servers.ts'
import { Writer } from '../texts.ts'
import { bystanders, fill, figuresOf } from './knowledge.ts'

/**
 * The first user's agents: one whose model answers at once, one whose model says 50 words a second, one without a
 * model.
 */
const [INSTANT, SLOW, WITHOUT] = [1, 22, 43]
const ANSWERS = 500
/** Words per second requested, 50 of each answer; and what counts as all of them, as time is measured between words. */
const ASKED_RATE = ANSWERS * 50
const DELIVERED_RATE = ASKED_RATE * 0.98
const WATCHERS = 1000
const QUIET_MS = 5000
/** From the first word to the first that counts: otherwise those in progress at the end would count as missing. */
const WARM_MS = 2000
const FULL_MIB = 30
/** Reports when more of a stream has come than is waited for. */
const PATIENCE_MS = 60_000

/** What answering takes besides the model: for one, for many at once, and for those who only watch. */
export async function answers (how: Thoroughness): Promise<Line[]> {
  const directory = await ready()
  const provider = fork(path.join(import.meta.dirname, '../processes/provider.ts'))
  const [url] = await once(provider, 'message') as [string]
  const models = path.join(directory, 'models.json')
  writeFileSync(
    models, JSON.stringify(['instant', 'slow'].map((match) => ({ match, provider: 'openai-compatible', url })))
  )
  const server = await agenthall({
    directory,
    settings: {
      MODELS: models,
      MODEL_ANSWERS: '1000',
      MODEL_ANSWERS_PER_ACCOUNT: '1000',
      MAX_CONNECTIONS: '5000',
      MAX_CONNECTIONS_PER_ADDRESS: '0'
    }
  })
  try {
    return [...await turns(server, how), ...await idle(server), ...await streaming(server, provider, how)]
  } finally {
    await server.stop()
    provider.disconnect()
    await forgetConversations(directory)
  }
}

/** One turn after another: to the first words of a model that says them at once, and to the end of a quoted answer. */
async function turns (server: Server, { seconds, rounds }: Thoroughness): Promise<Line[]> {
  const writer = new Writer(79)
  const count = 100 * seconds * rounds / 3
  const figures = async (agent: number, stream: boolean) => {
    const [conversation] = await begun(server, agent, 1)
    const agentOfHttp = new http.Agent({ keepAlive: true })
    for (let i = 0; i < 20; i++) await said(server, conversation!, writer.query(), stream, agentOfHttp)
    const before = await server.used()
    const times: number[] = []
    for (let i = 0; i < count; i++) times.push(await said(server, conversation!, writer.query(), stream, agentOfHttp))
    const work = (await server.used() - before) / count / 1000
    agentOfHttp.destroy()
    times.sort((a, b) => a - b)
    return { p50: times[Math.floor(count / 2)]!, p99: times[Math.floor(count * 0.99)]!, work }
  }
  const model = await figures(INSTANT, true)
  const quoted = await figures(WITHOUT, false)
  const against = ({ work }: { work: number }) => `processor ${ms(work)} a turn, its end and the commits included`
  return [
    {
      what: 'first words of a model of 0 ms, full agent (30 MiB)',
      measured: `p50 ${ms(model.p50)}, p99 ${ms(model.p99)}`,
      against: against(model),
      aim: '≤ 15 ms, ≤ 40 ms',
      reached: model.p50 <= 15 && model.p99 <= 40
    },
    {
      what: 'an answer quoted from the sources, full agent',
      measured: `p50 ${ms(quoted.p50)}, p99 ${ms(quoted.p99)}`,
      against: against(quoted),
      aim: 'p99 < 30 ms',
      reached: quoted.p99 < 30
    }
  ]
}

/** Many answers at once, each word of which is sent to its reader. */
async function streaming (server: Server, provider: ChildProcess, { seconds }: Thoroughness): Promise<Line[]> {
  const conversations = await begun(server, SLOW, ANSWERS)
  const memory = await server.kept()
  const readers = await reading(
    server, conversations.map((id) => `/v1/conversations/${id}/messages`), new Writer(80).query()
  )
  await until(readers, ({ begun }) => begun === ANSWERS)
  const each = (await server.kept() - memory) / ANSWERS
  const others = await bystanders(server)
  provider.send('go')
  await new Promise((resolve) => setTimeout(resolve, WARM_MS))
  await told(readers)
  await figuresOf(others)
  await server.loop()
  const [used, since] = [await server.used(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, seconds * 5000))
  const { words, p50, p99 } = await told(readers)
  const took = (performance.now() - since) / 1000
  const cores = (await server.used() - used) / 1e6 / took
  const lists = await figuresOf(others)
  const loop = await server.loop()
  others.kill()
  provider.send('stop')
  await until(readers, ({ over }) => over === ANSWERS)
  readers.disconnect()
  const rate = words / took
  // Fewer words than requested are easy to deliver: whatever depends on them is reached only at the full rate.
  const isWhole = rate >= DELIVERED_RATE
  const [delivered, asked] = [rate, ASKED_RATE].map((one) => Math.round(one).toLocaleString('en'))
  return [
    {
      what: `${ANSWERS} answers at once, words delivered a second`,
      measured: `${delivered}`,
      against: `${asked} asked for`,
      aim: 'all',
      reached: isWhole
    },
    {
      what: '  processor',
      measured: `${cores.toFixed(2)} cores`,
      against: `${((cores / rate) * 1e6).toFixed(0)} µs a word`,
      aim: '≤ 1 core, at the whole rate',
      reached: isWhole && cores <= 1
    },
    {
      what: '  how late a word is',
      measured: `p99 ${ms(p99)}`,
      against: `p50 ${ms(p50)}`,
      aim: '≤ 200 ms, at the whole rate',
      reached: isWhole && p99 <= 200
    },
    {
      what: '  memory of a stream',
      measured: kb(each),
      against: 'after collecting garbage',
      aim: '≤ 100 KB',
      reached: each <= 100_000
    },
    {
      what: "  other users' lists meanwhile",
      measured: `p99 ${ms(lists.p99)}`,
      against: `longest ${ms(lists.most)}; its loop is late p99 ${ms(loop.p99)}, and stood in line for a core ${(loop.queued / took / 10).toFixed(0)} % of the time`,
      aim: '< 50 ms, at the whole rate',
      reached: isWhole && lists.p99 < 50
    }
  ]
}

/** Many watchers of conversations in which nothing happens. */
async function idle (server: Server): Promise<Line[]> {
  const conversations = await begun(server, WITHOUT, WATCHERS)
  const quiet = async () => {
    const before = await server.used()
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    return (await server.used() - before) / QUIET_MS
  }
  const without = await quiet()
  const memory = await server.kept()
  const readers = await reading(server, conversations.map((id) => `/v1/conversations/${id}/events`), null)
  await until(readers, ({ begun }) => begun === WATCHERS)
  const each = (await server.kept() - memory) / WATCHERS
  const work = await quiet()
  readers.disconnect()
  return [
    {
      what: `${WATCHERS.toLocaleString('en')} idle watchers, memory of each`,
      measured: kb(each),
      against: 'after collecting garbage',
      aim: '≤ 20 KB',
      reached: each <= 20_000
    },
    {
      what: '  processor while nothing happens',
      measured: `${(work / 10).toFixed(2)} % of a core`,
      against: `without them ${(without / 10).toFixed(2)} %`,
      aim: '+ ≤ 1 %',
      reached: work - without <= 10
    }
  ]
}

/** Sends a message; resolves with the milliseconds to the first words, or to the whole answer. */
function said (
  server: Server, conversation: string, text: string, stream: boolean, agent: http.Agent
): Promise<number> {
  return new Promise((resolve, reject) => {
    const since = performance.now()
    let first: number | undefined
    const request = http.request(
      `${server.url}/v1/conversations/${conversation}/messages`,
      {
        agent,
        method: 'POST',
        headers: { ...as(1), 'content-type': 'application/json', ...(stream && { accept: 'text/event-stream' }) }
      },
      (answer) => {
        if (answer.statusCode !== (stream ? 200 : 201)) {
          reject(new Error(`A message was answered with ${answer.statusCode}.`))
        }
        answer.setEncoding('utf8').on('data', (piece: string) => {
          if (!stream || piece.includes('text-delta')) first ??= performance.now()
        })
        answer.once('end', () => resolve((first ?? Infinity) - since))
      }
    )
    request.once('error', reject)
    request.end(JSON.stringify({ text }))
  })
}

/** This many new conversations with an agent. */
async function begun (server: Server, agent: number, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const answer = await fetch(`${server.url}/v1/agents/${agent}/conversations`, {
      method: 'POST', headers: { ...as(1), 'content-type': 'application/json' }, body: '{}'
    })
    ids.push((await answer.json() as { data: { id: string } }).data.id)
  }
  return ids
}

interface Told { begun: number, over: number, words: number, p50: number, p99: number }

async function reading (server: Server, paths: string[], question: string | null): Promise<ChildProcess> {
  const child = fork(path.join(import.meta.dirname, '../processes/readers.ts'), [
    JSON.stringify({ url: server.url, headers: as(1), paths, question })
  ])
  await once(child, 'message')
  return child
}

async function told (readers: ChildProcess): Promise<Told> {
  readers.send('figures')
  const [figures] = await once(readers, 'message') as [Told]
  return figures
}

async function until (readers: ChildProcess, isReached: (told: Told) => boolean) {
  const since = performance.now()
  for (let now = await told(readers); !isReached(now); now = await told(readers)) {
    if (performance.now() - since > PATIENCE_MS) {
      throw new Error(`After ${PATIENCE_MS / 1000} s ${now.begun} streams have begun and ${now.over} have ended.`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** A directory with a full agent, and others beside it that know as much as needed; made once and reused. */
async function ready (): Promise<string> {
  const directory = path.join(import.meta.dirname, '../../../.bench/answers')
  if (existsSync(directory)) return directory
  console.error('Filling an agent …')
  const unfinished = await seededAnew('answers-unfinished', { users: 21, agents: 20 })
  const stores = await openFileStores({ directory: unfinished, clock: systemClock(), synchronous: 'NORMAL' })
  for (const agent of [INSTANT, SLOW, WITHOUT]) fill(stores, 0, FULL_MIB, agent)
  const choose = stores.db.raw.prepare("update agents set model = json_set(model, '$.response_model', ?) where id = ?")
  choose.run('instant', INSTANT)
  choose.run('slow', SLOW)
  await stores.close()
  rmSync(directory, { recursive: true, force: true })
  renameSync(unfinished, directory)
  return directory
}

/** So that the next run finds the same state. */
async function forgetConversations (directory: string) {
  const stores = await openFileStores({ directory, clock: systemClock(), synchronous: 'NORMAL' })
  stores.db.raw.exec('delete from conversations; delete from model_runs; update agents set conversations = 0')
  await stores.close()
}
