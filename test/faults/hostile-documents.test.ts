import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { EXTRACT_ERRORS } from '../../src/reading/error.ts'
import { bombs, brokenOthers, brokenPdfs, entityBombs, farCorner, fixture, outlookCircle } from '../reading/hostile.ts'
import { scratch } from './tools/server.ts'
import { client, quantile, serveAlone } from './tools/serving.ts'

interface File { name: string, bytes: Buffer }
interface Ending { name: string, status: string, code: string | undefined, message: string, ms: number }

/** As many as are trained at once: with more, one would wait for others. */
const AT_ONCE = 2
/** How often the other user requests a list, and how often the server's memory is sampled. */
const EVERY_MS = 5
/** Milliseconds within which that list comes where nothing blocks, also on a busy machine; figures are printed. */
const UNNOTICED_MS = 500

/** A separate server with an agent of a first user, and a second user with twenty. */
async function installation (t: Test) {
  const directory = scratch(t)
  // The young generation is collected early, so that memory is what is retained: 58 to 63 MiB more were once seen
  // beside the bombs where V8 let it grow, with next to nothing more for the hundred files after them.
  const { port, key, rss } = await serveAlone(t, directory, { NODE_OPTIONS: '--max-semi-space-size=4' })
  const made = await promisify(execFile)(
    process.execPath,
    ['src/main.ts', 'users', 'create', '--name', 'Other', '--tier', 'enterprise', '--json', '--data', directory],
    { env: {} }
  )
  const [mine, other] = [client(port, key!), client(port, JSON.parse(made.stdout).key)]
  t.teardown(() => { mine.end(); other.end() })
  const agent = async (of: typeof mine) =>
    JSON.parse((await of.ask('POST', '/v1/agents/', { name: 'A', systemPrompt: 'B' })).body).data.id as number
  const at = `/v1/agents/${await agent(mine)}`
  for (let i = 0; i < 20; i++) await agent(other)

  /** Uploads a file as the first user and waits for its end. */
  async function ending ({ name, bytes }: File): Promise<Ending> {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(bytes)]), name)
    const began = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}${at}/knowledge_sources`, {
      method: 'POST', body, headers: { authorization: `Api-Key ${key}` }
    })
    const { data: [{ id }] } = await answer.json() as { data: [{ id: number }] }
    for (;;) {
      const { data: { status, error } } = JSON.parse((await mine.ask('GET', `${at}/knowledge_sources/${id}`)).body)
      if (status !== 'Pending' && status !== 'Processing') {
        return { name, status, code: error?.code, message: error?.message ?? '', ms: performance.now() - began }
      }
      await pause(20)
    }
  }

  async function endings (files: File[]): Promise<Ending[]> {
    const ends: Ending[] = []
    const waiting = [...files]
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) ends.push(await ending(file))
    }))
    return ends
  }

  /** What the work costs the other user and the server's memory: milliseconds of each list, and the peak MiB. */
  async function felt<T> (work: Promise<T>) {
    const times: number[] = []
    let most = rss()
    const end = new AbortController()
    const watching = (async () => {
      while (!end.signal.aborted) {
        const asked = await other.ask('GET', '/v1/agents/')
        // A kept-alive connection may have been idle for too long while files were made: clients then retry on another.
        const { status, ms } = asked.error && asked.reused ? await other.ask('GET', '/v1/agents/') : asked
        if (status !== 200) t.fail(`a list was answered with ${status}`)
        times.push(ms)
        most = Math.max(most, rss())
        await pause(EVERY_MS)
      }
    })()
    const done = await work.finally(() => end.abort())
    await watching
    return { done, times, most }
  }

  const search = async (query: string) =>
    JSON.parse((await mine.ask('POST', `${at}/search`, { query })).body).data as Array<{ text: string }>
  return { endings, felt, search }
}

/** Ordinary files, several times over: a process grows with its first work, whatever that is. */
function ordinary (): File[] {
  const some = ['pdf/01.pdf', 'pdf/05.pdf', 'pdf/09.pdf', 'pdf/10.pdf'].map((name) => ({
    name: name.slice(4), bytes: fixture(`documents/${name}`)
  }))
  const text = {
    name: 'long.txt',
    bytes: Buffer.from(
      Array.from({ length: 20_000 }, (_, i) => `The heron number ${i} stands in the reed.`).join('\n\n')
    )
  }
  return [...some, text, ...some, text]
}

t.test('hostile files end Failed with a code and a sentence, and the server, another user and the next document do not notice', async (t) => {
  // Was wrong with the files read in the server's own process; the codes with the limits on decompression lifted.
  t.setTimeout(1_800_000)
  const { endings, felt, search } = await installation(t)
  const calm = await felt(endings(ordinary()))
  t.same(calm.done.map(({ status }) => status), calm.done.map(() => 'Success'))

  const codes = new Map([
    ...bombs().map(({ name, code }) => [name, code] as const),
    ...Object.keys(entityBombs()).map((name) => [name, 'unsafe'] as const),
    [farCorner().name, 'out_of_memory'] as const,
    [outlookCircle().name, 'out_of_memory'] as const
  ])
  const groups = {
    bombs: bombs(),
    'broken PDFs': brokenPdfs(),
    'broken others': brokenOthers(),
    others: [...Object.entries(entityBombs()).map(([name, bytes]) => ({ name, bytes })), farCorner(), outlookCircle()]
  }
  t.same(Object.values(groups).map((files) => files.length), [12, 50, 37, 7])
  for (const [what, files] of Object.entries(groups)) {
    const { done, times, most } = await felt(endings(files))
    for (const { name, status, code, message, ms } of done) {
      if (codes.has(name)) t.equal(code, codes.get(name), name)
      else t.ok(status === 'Success' || code! in EXTRACT_ERRORS, `${name}: ${status} ${code}`)
      t.equal(status, code === undefined ? 'Success' : 'Failed', name)
      t.ok(status === 'Success' || message.endsWith('.'), `${name}: ${message}`)
      t.ok(ms <= 120_000, `${name}: ended after ${ms.toFixed()} ms`)
    }
    const failed = done.filter(({ status }) => status === 'Failed').length
    const slowest = done.toSorted((a, b) => b.ms - a.ms)[0]!
    t.ok(failed >= done.length / 2, 'they are hostile enough')
    const p99 = quantile(times, 0.99)
    t.comment(
      `${what}: ${failed} of ${done.length} failed, the slowest (${slowest.name}) after ${slowest.ms.toFixed()} ms; server ${calm.most.toFixed()} → ${most.toFixed()} MiB at most; ` +
        `${times.length} lists of another user: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${Math.max(...times).toFixed()} ms (with ordinary files p99 ${quantile(calm.times, 0.99).toFixed(1)} ms)`
    )
    // The bombs come first. Earlier garbage is still in memory where the machine is too busy to collect it early: 51
    // MiB were seen after 99 files, 32 where it was idle. Read in the server itself they took hundreds.
    const limit = what === 'bombs' ? 50 : 100
    t.ok(most - calm.most < limit, `${what}: ${(most - calm.most).toFixed()} MiB more in the server`)
    t.ok(p99 < UNNOTICED_MS, `${what}: p99 of another user's list is ${p99.toFixed()} ms`)
  }

  t.match(await endings([{ name: 'next.txt', bytes: Buffer.from('The quagga is found again.') }]), [
    { status: 'Success' }
  ])
  t.match(await search('quagga'), [{ text: 'The quagga is found again.' }])
})
