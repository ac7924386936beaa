import '../../bare-children.ts'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import path from 'node:path'
import type { Test } from 'tap'

/** Node's own, as `npm start` has them. */
const FLAGS = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.split(' ').slice(1, -2) as string[]

/**
 * The program in its own process, on a free port, over the directory; ends with the test. No rate limit unless the
 * settings say so.
 */
export async function serveAlone (t: Test, directory: string, settings: Record<string, string> = {}) {
  const isNew = !existsSync(path.join(directory, 'agenthall.db'))
  const server = spawn('node', [...FLAGS, 'src/main.ts', 'serve', '--port', '0', '--data', directory], {
    env: {
      PATH: process.env.PATH, AGENTHALL_RATE_LIMITS: '{"enterprise":0}', AGENTHALL_LOG_LEVEL: 'warn', ...settings
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => server.kill('SIGKILL'))
  let log = ''
  server.stdout.on('data', (text) => { log += text })
  let notes = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (text) => {
      notes += text
      if (notes.includes(isNew ? 'curl -X PUT' : 'listens on')) resolve()
    })
    server.once('exit', () => reject(new Error(notes)))
  })
  const port = Number(/listens on http:\/\/[^:]+:(\d+)/.exec(notes)![1])
  return {
    server,
    port,
    /** Only on the first start over a directory. */
    key: /agh_\w+/.exec(notes)?.[0],
    log: () => log,
    /** Megabytes in memory. */
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024
  }
}

/**
 * The outcome of a request: the status, or the error; whether the connection had served another before; whether more
 * may follow on it.
 */
export interface Outcome { status?: number, error?: string, reused: boolean, closes: boolean, body: string, ms: number }

/** One client with one kept-alive connection. */
export function client (port: number, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    end: () => agent.destroy(),
    ask: (method: string, path: string, body?: object): Promise<Outcome> => new Promise((resolve) => {
      const began = performance.now()
      const outcome = (rest: Partial<Outcome>) =>
        resolve({ reused: sent.reusedSocket, closes: false, body: '', ms: performance.now() - began, ...rest })
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          method,
          path,
          agent,
          headers: { authorization: `Api-Key ${key}`, ...(body && { 'content-type': 'application/json' }) }
        },
        async (answer) => {
          try {
            const text = (await answer.toArray()).join('')
            outcome({ status: answer.statusCode!, closes: answer.headers.connection === 'close', body: text })
          } catch (error) {
            outcome({ error: `cut off: ${(error as Error).message}` })
          }
        }
      )
      sent.on('error', (error: NodeJS.ErrnoException) => outcome({ error: error.code ?? error.message }))
      sent.end(body && JSON.stringify(body))
    })
  }
}

/** The quantile: the time below which this share of the times lies. */
export function quantile (times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1]!
}
