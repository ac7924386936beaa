// A long mixed load against a server in its own process, to see whether memory grows: npm run test:soak -- --minutes 30
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { startServer } from '../src/server.ts'

/** Memory of the server after a forced collection, in bytes, and when it was taken, in milliseconds. */
interface Sample { at: number, heap: number, rss: number }

const SAMPLE_EVERY_MS = 30_000
const MOST_HEAP_SLOPE = 1 // MiB per hour
const MOST_RSS = 256 // MB
/** Node's own flags, as `npm start` has them. */
const FLAGS = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.split(' ').slice(1, -2) as string[]

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
    serve: { type: 'string' }
  }
})

if (values.serve) await serve(values.serve)
else await drive(Number(values.minutes) * 60_000, Number(values.rate))

/** The server, which reports over IPC how much memory it uses. */
async function serve (directory: string) {
  const config = readConfig({
    AGENTHALL_DATA: directory, AGENTHALL_PORT: '0', AGENTHALL_RATE_LIMITS: '{"enterprise":0}'
  })
  const { address, firstKey, close } = await startServer(config, { log: false })
  process.on('message', async (wish) => {
    if (wish === 'stop') return process.exit(await close().then(() => 0))
    globalThis.gc!()
    globalThis.gc!()
    const { heapUsed, rss } = process.memoryUsage()
    process.send!({ heap: heapUsed, rss })
  })
  process.on('disconnect', () => process.exit(1))
  process.send!({ address, key: firstKey })
}

async function drive (forMs: number, rate: number) {
  const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-soak-'))
  const server = fork(fileURLToPath(import.meta.url), ['--serve', directory], { execArgv: ['--expose-gc', ...FLAGS] })
  const told = () => new Promise<never>((resolve) => server.once('message', resolve as never))
  const { address, key } = await told() as { address: string, key: string }
  const call = caller(address, key)
  const agents: number[] = []
  for (let i = 0; i < 50; i++) agents.push(await create(call, i))

  const samples: Sample[] = []
  const latencies: number[] = []
  let requests = 0
  let faults = 0
  const running = new Set<Promise<void>>()
  const started = performance.now()
  const elapsed = () => performance.now() - started

  async function one () {
    const began = performance.now()
    try {
      await mixed(call, agents, requests)
    } catch (error) {
      faults++
      if (faults < 10) console.error(error)
    }
    latencies[requests++ % 100_000] = performance.now() - began
  }

  async function measure () {
    // When idle; otherwise work in progress would be counted.
    await Promise.all(running)
    server.send('measure')
    const { heap, rss } = await told() as { heap: number, rss: number }
    samples.push({ at: elapsed(), heap, rss })
    console.log(
      `${(elapsed() / 60_000).toFixed(1)} min  ${requests} requests  heap ${mib(heap).toFixed(2)} MiB  RSS ${(rss / 1e6).toFixed(0)} MB`
    )
  }

  for (let next = SAMPLE_EVERY_MS; elapsed() < forMs;) {
    while (requests + running.size < elapsed() / 1000 * rate && running.size < 64) {
      const work = one().finally(() => running.delete(work))
      running.add(work)
    }
    if (elapsed() > next) {
      next += SAMPLE_EVERY_MS
      await measure()
    }
    await pause(5)
  }
  await measure()
  server.send('stop')
  await new Promise((resolve) => server.once('exit', resolve))
  rmSync(directory, { recursive: true })

  const warm = samples.filter(({ at }) => at > Math.min(forMs / 5, 600_000))
  const slope = mib(slopeOf(warm) * 3_600_000)
  const rss = Math.max(...warm.map((sample) => sample.rss)) / 1e6
  latencies.sort((a, b) => a - b)
  console.log(`
${requests} requests in ${(forMs / 60_000).toFixed(0)} minutes, ${faults} failed, p99 ${latencies[Math.floor(latencies.length * 0.99)]!.toFixed(1)} ms
heap after warm-up: ${slope.toFixed(3)} MiB an hour (at most ${MOST_HEAP_SLOPE}), from ${mib(warm[0]!.heap).toFixed(2)} to ${mib(warm.at(-1)!.heap).toFixed(2)} MiB in ${warm.length} samples
RSS after warm-up: at most ${rss.toFixed(0)} MB (limit ${MOST_RSS})`)
  process.exitCode = faults === 0 && slope < MOST_HEAP_SLOPE && rss < MOST_RSS ? 0 : 1
}

/** What customers' programs do, in realistic proportions; creates as many agents as it deletes. */
async function mixed (call: Call, agents: number[], n: number) {
  const any = agents[n % agents.length]!
  const kind = n % 20
  if (kind < 8) await call('GET', '/v1/agents/')
  else if (kind < 10) await call('GET', `/v1/agents/?page=1&limit=20&search=${n % 10}`)
  else if (kind < 15) await call('GET', `/v1/agents/${any}`, undefined, [200, 404])
  else if (kind < 17) agents.push(await create(call, n))
  else if (kind < 18) await call('PUT', `/v1/agents/${any}`, { description: `Changed ${n}` }, [200, 404])
  else await call('DELETE', `/v1/agents/${agents.shift()}`)
}

async function create (call: Call, n: number): Promise<number> {
  return (await call('POST', '/v1/agents/', { name: `Agent ${n}`, systemPrompt: 'You help. '.repeat(50) }, [201])).data
    .id
}

type Call = (method: string, path: string, body?: object, expected?: number[]) => Promise<{ data: { id: number } }>

function caller (address: string, key: string): Call {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const headers = { authorization: `Api-Key ${key}`, 'content-type': 'application/json' }
  const call: Call = (method, path, body, expected = [200]) => new Promise((resolve, reject) => {
    const sent = request(
      address + path,
      { method, agent, headers: body ? headers : { authorization: headers.authorization } },
      async (answer) => {
        const text = (await answer.toArray()).join('')
        if (expected.includes(answer.statusCode!)) resolve(JSON.parse(text))
        else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`))
      }
    )
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server had just closed a connection that was idle for too long, as it may at any time: clients retry.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(call(method, path, body, expected))
      else reject(error)
    }).end(body && JSON.stringify(body))
  })
  return call
}

/** Bytes per millisecond, by least squares. */
function slopeOf (samples: Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const at = mean((sample) => sample.at)
  const heap = mean((sample) => sample.heap)
  const spread = samples.reduce((sum, sample) => sum + (sample.at - at) ** 2, 0)
  return samples.reduce((sum, sample) => sum + (sample.at - at) * (sample.heap - heap), 0) / spread
}

function mib (bytes: number): number {
  return bytes / 2 ** 20
}
