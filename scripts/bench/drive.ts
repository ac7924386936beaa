import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import autocannon, { type Request, type Result } from 'autocannon'
import type { Server } from './servers.ts'

/** A load: which requests go to which server, over how many connections. Requests may be made one by one. */
export interface Load {
  server: Server
  requests: Request[]
  connections?: number
  /** Any other status counts as a failure of the benchmark. */
  status?: number
}

/**
 * What a load measured: requests per second, latencies in milliseconds, the server's CPU time per request in
 * microseconds.
 */
export interface Measured { rate: number, p50: number, p99: number, work: number }

/**
 * Loads a server for some seconds, or until stopped. Throws on an unexpected answer, because then the figures mean
 * nothing.
 */
export async function drive (
  { server, requests, connections = 32, status = 200 }: Load, seconds: number, until?: AbortSignal
): Promise<Measured> {
  const latencies: number[] = []
  const failed: number[] = []
  const before = await server.used()
  const started = performance.now()
  // It accepts several addresses, which its types do not say.
  const url = server.urls as unknown as string
  const run = autocannon({ url, connections, duration: seconds, requests, timeout: 30 }, () => undefined)
  until?.addEventListener('abort', () => run.stop())
  run.on('response', (_client, code, _bytes, ms) => {
    if (code !== status) failed.push(code)
    latencies.push(ms)
  })
  const [{ errors }] = (await once(run, 'done')) as [Result]
  const took = (performance.now() - started) / 1000
  const used = (await server.used()) - before
  if (failed.length || errors) {
    throw new Error(`${failed.length + errors} answers were not ${status}, the first ${failed[0]}.`)
  }
  latencies.sort((a, b) => a - b)
  return {
    rate: latencies.length / took,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    work: used / latencies.length
  }
}

/**
 * Whether wrk is installed (Debian: `apt-get install wrk`). It takes a quarter of the CPU time of autocannon, and so
 * shows more of the server.
 */
export const HAS_WRK = spawnSync('wrk', ['-v']).error === undefined

/** Like `drive`, with wrk: one request, over and over, on one thread. */
export async function driveWithWrk (
  { server, requests: [request], connections = 32, status = 200 }: Load, seconds: number
): Promise<Measured> {
  const { path = '/', headers = {} } = request!
  const before = await server.used()
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1', `-c${connections}`, `-d${Math.ceil(seconds)}s`, '--latency', ...named, server.url + path
  ])
  const used = (await server.used()) - before
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Not every answer was ${status}:\n${stdout}`)
  const [answers, rate] = [/(\d+) requests in/, /Requests\/sec: +([\d.]+)/].map((what) => Number(what.exec(stdout)![1]))
  return { rate: rate!, p50: latency(stdout, 50), p99: latency(stdout, 99), work: used / answers! }
}

/** A quantile as wrk prints it, in milliseconds. */
function latency (printed: string, percent: number): number {
  const [, number, unit] = new RegExp(`${percent}% +([\\d.]+)(us|ms|s)`).exec(printed)!
  return Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's']
}

/**
 * Loads several servers in turn, so that other load on the machine affects all of them, and takes the median of each
 * figure.
 */
export async function inTurns<Name extends string> (
  loads: Record<Name, Load>,
  { rounds, seconds }: { rounds: number, seconds: number },
  driver: typeof driveWithWrk = drive
): Promise<Record<Name, Measured>> {
  const names = Object.keys(loads) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<Name, Measured[]>
  for (const name of names) await driver(loads[name], Math.max(1, seconds / 2))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) measured[name].push(await driver(loads[name], seconds))
  }
  return Object.fromEntries(names.map((name) => [name, medians(measured[name])])) as Record<Name, Measured>
}

function medians (rounds: Measured[]): Measured {
  const of = (figure: keyof Measured) => median(rounds.map((round) => round[figure]))
  return { rate: of('rate'), p50: of('p50'), p99: of('p99'), work: of('work') }
}

/** The median. */
export function median (numbers: number[]): number {
  return quantile([...numbers].sort((a, b) => a - b), 0.5)
}

/** The quantile: the number below which this share of them lies. */
export function quantile (sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN
}
