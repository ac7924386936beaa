import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { client, quantile, serveAlone } from './tools/serving.ts'

// Tests that only wait, each for its own server, are marked `buffered`: two of them wait at the same time.
t.jobs = 2

const HEADERS = 100
const BODIES = 100
/**
 * Milliseconds within which a good client that is unaffected gets a response, also on a busy machine; figures are
 * printed.
 */
const UNNOTICED_MS = 500

/**
 * Sends its beginning, then a byte now and then, also after the other side has ended. Returns after how many ms it was
 * closed, and what it received.
 */
function drip (port: number, beginning: string): Promise<{ ms: number, told: string }> {
  const began = performance.now()
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let told = ''
  socket.on('data', (bytes) => { told += bytes })
  socket.on('error', () => {})
  socket.write(beginning.replaceAll('\n', '\r\n'))
  const timer = setInterval(() => socket.write('a'), 250)
  return new Promise((resolve) => socket.once('close', () => {
    clearInterval(timer)
    resolve({ ms: performance.now() - began, told })
  }))
}

// Was wrong without headersTimeout (60 s), and without the timer of platform/http/deadlines.ts (bodies stay open). They
// have 15 s, and are closed 2 s later where the machine is otherwise idle.
t.test(
  'two hundred clients that drip are gone after their 15 s, and a good one notices nothing',
  { timeout: 300_000 },
  async (t) => {
    const { port, key, server } = await serveAlone(t, t.testdir({}))
    const head = `POST /v1/agents HTTP/1.1\nHost: x\nAuthorization: Api-Key ${key}\nContent-Type: application/json\n`
    const drips = [
      ...Array.from({ length: HEADERS }, () => drip(port, head + 'X-Slow: ')),
      ...Array.from({ length: BODIES }, () => drip(port, head + 'Content-Length: 1000\n\n{"'))
    ]
    const over = new AbortController()
    const all = Promise.all(drips).finally(() => over.abort())
    const good = client(port, key!)
    const times: number[] = []
    while (!over.signal.aborted) {
      const { status, ms } = await good.ask('GET', '/v1/agents')
      if (status !== 200) t.fail(`the good client was answered ${status}`)
      times.push(ms)
      await pause(20)
    }
    const gone = await all
    const last = Math.max(...gone.map(({ ms }) => ms))
    const p99 = quantile(times, 0.99)
    t.comment(
      `${gone.length} drips, the last gone after ${(last / 1000).toFixed(1)} s; a good client meanwhile: ${times.length} requests, p99 ${p99.toFixed(1)} ms`
    )
    t.ok(last <= 45_000, 'gone long before Node would do it by itself')
    t.ok(p99 < UNNOTICED_MS, `p99 below ${UNNOTICED_MS} ms`)
    t.ok(
      gone.every(({ told }) => told.startsWith('HTTP/1.1 408 ')), 'each was told why'
    )
    good.end()
    server.kill()
  }
)

// Was wrong without `linger` and the limit of platform/http/bodies: all of it was read.
t.test('a body of 10 GiB in chunks is refused with 413 and costs no memory', { timeout: 300_000 }, async (t) => {
  const { port, key, rss, server } = await serveAlone(t, t.testdir({}))
  await client(port, key!).ask('GET', '/v1/agents')
  const before = rss()
  let peak = before
  const watch = setInterval(() => { peak = Math.max(peak, rss()) }, 10)
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')])
  let sent = 0
  let told = ''
  const socket = net.connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.on('data', (bytes) => { told += bytes })
  socket.write(
    `POST /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  )
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(false)))
  for (let goesOn = true; goesOn && sent < 10 * 2 ** 30; sent += 65_536) {
    goesOn =
      !socket.destroyed &&
      (socket.write(chunk) ||
        (await Promise.race([closed, new Promise<boolean>((resolve) => socket.once('drain', () => resolve(true)))])))
  }
  await closed
  clearInterval(watch)
  t.comment(
    `refused after ${(sent / 2 ** 20).toFixed(1)} MiB were sent, most of it into buffers of the system; RSS ${before.toFixed(0)} MiB, at most ${peak.toFixed(0)} MiB`
  )
  t.match(told, /^HTTP\/1.1 413 [^]*payload_too_large/)
  t.ok(sent < 96 * 2 ** 20, 'what was sent is what is swallowed and a few buffers')
  t.ok(peak - before < 32, 'less than 32 MiB more')
  server.kill()
})

// Was wrong when bodies were kept in memory as they came in: 1.7 GB; when what had been written waited for garbage
// collection: 122 MiB; and when the first refused one kept its room until its file was closed: all 25 were refused.
t.test('twenty-five unfinished bodies of 60 MB cost less than 100 MiB of memory, and a good client notices nothing', { timeout: 300_000 }, async (t) => {
  const { port, key, rss, server } = await serveAlone(t, t.testdir({}))
  const good = client(port, key!)
  await good.ask('POST', '/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })
  const before = rss()
  let peak = before
  const watch = setInterval(() => { peak = Math.max(peak, rss()) }, 20)
  const piece = Buffer.alloc(10 ** 6, 'a')
  const answers = await Promise.all(Array.from({ length: 25 }, async () => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    t.teardown(() => socket.destroy())
    let told = ''
    socket.on('data', (bytes) => { told += bytes })
    socket.on('error', () => {})
    const over = new Promise((resolve) => socket.once('close', resolve))
    socket.write(
      `POST /v1/agents/1/knowledge_sources HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${key}\r\nContent-Type: application/json\r\nContent-Length: 61000000\r\n\r\n{"plain_text":"`
    )
    for (let sent = 0; sent < 60 && !socket.destroyed; sent++) {
      await Promise.race([over, new Promise((resolve) => socket.write(piece, resolve))])
    }
    // A finished sender waits for the others without being taken for one that is too slow.
    const more = setInterval(() => socket.write(piece.subarray(0, 8192)), 1000)
    over.then(() => clearInterval(more))
    return () => /^HTTP\/1.1 (\d+)/.exec(told)?.[1]
  }))
  const status = (await good.ask('GET', '/v1/agents')).status
  await pause(1000)
  clearInterval(watch)
  const refused = answers.map((told) => told()).filter((told) => told !== undefined)
  t.comment(
    `RSS ${before.toFixed(0)} MiB, at most ${peak.toFixed(0)} MiB; ${25 - refused.length} wait on disk, ${refused.length} were asked to come again`
  )
  t.equal(status, 200)
  t.ok(refused.every((told) => told === '429'), 'what is over the account\'s share is told so')
  t.equal(25 - refused.length, 8, 'all that fit into its share are not, though they come at the same time')
  t.ok(peak - before < 100, 'less than 100 MiB more')
  server.kill()
})

// Was wrong without connectionTimeout (still open when the test's own time was up), and with lists in pieces of agents
// instead of bytes (1.4 GB).
t.test(
  'two hundred clients that never read a long list are gone and cost little',
  { timeout: 600_000, buffered: true },
  async (t) => {
    const { port, key, rss, server } = await serveAlone(t, t.testdir({}))
    const writer = client(port, key!)
    // 5 MB: too long to be cached, and longer than what the system buffers for a connection.
    for (let i = 0; i < 400; i++) {
      await writer.ask('POST', '/v1/agents', { name: `Agent ${i}`, systemPrompt: 'You help. '.repeat(1200) })
    }
    // A client that does not read does not notice that the connection is gone; the server knows.
    const look = async () => {
      const { body } = await writer.ask('GET', '/metrics')
      const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1] ?? NaN)
      return {
        open: value('agenthall_connections'),
        used: (value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes')) / 2 ** 20
      }
    }
    const { used: idle } = await look()
    const before = rss()
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, rss())
    }, 50)
    const began = performance.now()
    const sockets = Array.from({ length: 200 }, () => {
      const socket = net.connect({ port, host: '127.0.0.1' }).pause()
      socket.on('error', () => {})
      socket.write(`GET /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${key}\r\n\r\n`)
      return socket
    })
    while ((await look()).open < 201) await pause(20)
    // The minimum of ten seconds: garbage between two collections is not in use.
    let used = Infinity
    for (const until = performance.now() + 10_000; performance.now() < until; await pause(250)) {
      used = Math.min(used, (await look()).used)
    }
    while ((await look()).open > 1) await pause(250)
    const gone = performance.now() - began
    for (const socket of sockets) socket.destroy()
    clearInterval(watch)
    t.comment(
      `the last gone after ${(gone / 1000).toFixed(1)} s; in use ${idle.toFixed(0)} MiB before, ${used.toFixed(0)} MiB with them; RSS ${before.toFixed(0)} MiB, at most ${peak.toFixed(0)} MiB`
    )
    t.ok(used - idle < 100, 'less than 100 MiB more in use')
    // Their garbage is collected late, and the system's allocator releases it later still.
    t.ok(peak - before < 640, 'less than 640 MiB more at the worst')
    server.kill()
  }
)

// Was wrong with handlerTimeout of Fastify at 10 s: the list was cut.
t.test(
  'a client that reads slowly but does read gets its long list whole',
  { timeout: 300_000, buffered: true },
  async (t) => {
    const { port, key, server } = await serveAlone(t, t.testdir({}))
    const writer = client(port, key!)
    for (let i = 0; i < 1100; i++) {
      await writer.ask('POST', '/v1/agents', { name: `Agent ${i}`, systemPrompt: 'You help. '.repeat(1200) })
    }
    const began = performance.now()
    const socket = net.connect({ port, host: '127.0.0.1' }).pause()
    socket.write(`GET /v1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Api-Key ${key}\r\n\r\n`)
    let length = 0
    let end = ''
    for await (const bytes of socket) {
      length += bytes.length
      end = (end + bytes).slice(-1000)
      // About a megabyte per second, 15 s in all.
      await pause(bytes.length / 1000)
    }
    t.comment(`${(length / 1e6).toFixed(1)} MB in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    t.ok(performance.now() - began > 12_000, 'it took longer than a handler may')
    t.match(end, /"permissions":\[[^\]]*\]}\r\n[^]*0\r\n\r\n$/)
    server.kill()
  }
)

if (process.argv.includes('--release')) {
  t.test(
    'a flood of 5,000 connections: others are served, and it leaves nothing behind',
    { timeout: 120_000 },
    async (t) => {
      const { port, key, server } = await serveAlone(t, t.testdir({}), {
        AGENTHALL_MAX_CONNECTIONS_PER_ADDRESS: '1900'
      })
      const good = client(port, key!)
      await good.ask('GET', '/healthz')
      const sockets = Array.from({ length: 5000 }, () => net.connect({ port, host: '127.0.0.1' }).on('error', () => {}))
      const times: number[] = []
      for (let i = 0; i < 200; i++) {
        const { status, ms } = await good.ask('GET', '/healthz')
        if (status !== 200) t.fail(`answered ${status}`)
        times.push(ms)
        await pause(20)
      }
      for (const socket of sockets) socket.destroy()
      await pause(1000)
      const { body } = await good.ask('GET', '/metrics')
      t.comment(`p99 ${quantile(times, 0.99).toFixed(1)} ms`)
      t.ok(quantile(times, 0.99) < 250)
      t.match(body, /^agenthall_connections 1$/m)
      server.kill()
    }
  )
}
