import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { deadlines } from '../../../src/platform/http/connections.ts'
import { Refusal } from '../../../src/platform/errors.ts'
import { answers } from '../../../src/platform/http/answers.ts'
import { bodies } from '../../../src/platform/http/bodies/receive.ts'
import { acceptJson } from '../../../src/platform/http/bodies/json.ts'

/** A server whose routes have deadlines short enough to wait for. */
async function serve (t: Test, { idleMs = 20_000 } = {}) {
  const stopping = new AbortController()
  // Once: a second call would empty it under an incoming body.
  const folder = t.testdir({})
  const app = Fastify({ connectionTimeout: idleMs })
  acceptJson(app)
  await app.register(deadlines, { stopping: stopping.signal, answerMs: 400, slowest: { bytes: 4000, everyMs: 600 } })
  await app.register(bodies, {
    folder: () => folder, limits: { memory: 2 ** 26, disk: 2 ** 26 }, accountOf: () => 1
  })
  await app.register(answers, { onRefusal: () => {} })
  app.post('/text', { config: { receiveMs: 200 } }, async ({ body }) => body)
  app.post('/upload', { config: { receiveMs: 5000 } }, async ({ body }) => body)
  app.post('/small', async ({ body }) => body)
  app.post('/patient', { bodyLimit: 10_000_000, config: { receiveMs: 600_000 } }, async ({ body }) => body)
  app.post('/busy', { config: { answerMs: 5000 } }, async ({ body }) => {
    await pause(900)
    return body
  })
  app.register(async (forms) => {
    forms.addContentTypeParser('text/plain', (_request, _payload, done) => done(null))
    forms.post('/late', { config: { receiveMs: 600_000, answerMs: 5000 } }, async ({ raw }) => {
      await pause(1000)
      let bytes = 0
      for await (const piece of raw) bytes += piece.length
      return { bytes }
    })
  })
  app.post(
    '/private',
    {
      onRequest: async () => {
        throw new Refusal('authentication_required', 'Who are you?')
      }
    },
    async () => 'never'
  )
  app.get('/stuck', { config: { answerMs: 100 } }, () => new Promise(() => {}))
  app.post('/stuck', { config: { answerMs: 100 } }, () => new Promise(() => {}))
  app.get('/stream', { config: { answerMs: 100 } }, async () => Readable.from(slowly()))
  let letGo = () => {}
  const held = new Promise<void>((resolve) => { letGo = resolve })
  app.get('/held', { config: { answerMs: 5000 } }, async () => {
    await held
    return 'held'
  })
  const happened: string[] = []
  let tell = () => {}
  const tried = new Promise<void>((resolve) => { tell = resolve })
  app.post('/prepares-long', { config: { answerMs: 100 } }, async (request) => {
    await pause(300)
    try {
      request.commits()
      happened.push('prepares-long')
    } finally {
      tell()
    }
  })
  app.post('/commits-long', { config: { answerMs: 100 } }, async (request) => {
    request.commits()
    await pause(300)
    happened.push('commits-long')
    return {}
  })
  app.post('/one-transaction', async () => {
    await pause(600)
    happened.push('one-transaction')
    return {}
  })
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { app, stopping, happened, tried, letGo, port, url: `http://127.0.0.1:${port}` }
}

async function * slowly () {
  for (let i = 0; i < 5; i++) {
    await pause(60)
    yield `${i}`
  }
}

/** A connection and everything received on it. */
function connect (port: number, head: string) {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (bytes) => { text += bytes })
  socket.on('error', () => {})
  socket.write(head.replaceAll('\n', '\r\n'))
  return { socket, text: () => text, closed: new Promise((resolve) => socket.once('close', resolve)) }
}

/** Writes a byte every 20 ms until the connection is gone. */
async function drip ({ socket }: ReturnType<typeof connect>) {
  while (!socket.destroyed) {
    socket.write(' ')
    await pause(20)
  }
}

const json = 'Host: x\nContent-Type: application/json\n'

// Was wrong without the timer in onRequest: the connection stayed open.
t.test('a body that does not arrive in its route\'s time ends in 408, and the connection is closed though more is sent', async (t) => {
  const { app, port } = await serve(t)
  const slow = connect(port, `POST /text HTTP/1.1\n${json}Content-Length: 100000\n\n{`)
  drip(slow)
  await slow.closed
  t.match(slow.text(), /^HTTP\/1.1 408 /)
  t.match(slow.text(), '"code":"unavailable"')
  t.equal(await new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))), 0)
})

t.test('a route can grant a body more time', async (t) => {
  const { port } = await serve(t)
  const slow = connect(port, `POST /upload HTTP/1.1\n${json}Content-Length: 2\n\n{`)
  await pause(400)
  slow.socket.write('}')
  await once(slow.socket, 'data')
  t.match(slow.text(), /^HTTP\/1.1 200 /)
  slow.socket.destroy()
})

t.test('a handler that does not answer in its route\'s time is answered for', async (t) => {
  const { url } = await serve(t)
  const json = { 'content-type': 'application/json' }
  for (const request of [{}, { method: 'POST', body: '{}', headers: json }]) {
    const answer = await fetch(`${url}/stuck`, request)
    t.equal(answer.status, 503)
    t.match(await answer.json(), { error: { code: 'unavailable' } })
  }
})

// Was wrong without the minimum rate: such a body was waited for, with all that was sent before, for as long as the
// route allows.
t.test('a body that comes too slowly ends, however long its route would wait', async (t) => {
  const { port } = await serve(t)
  const slow = connect(port, `POST /patient HTTP/1.1\n${json}Content-Length: 3000000\n\n`)
  slow.socket.write(Buffer.alloc(1_000_000, ' '))
  drip(slow)
  await slow.closed
  t.match(slow.text(), /^HTTP\/1.1 408 /)
})

t.test('a body that the server itself does not read yet is not slow', async (t) => {
  const { url } = await serve(t)
  const answer = await fetch(`${url}/late`, { method: 'POST', body: 'x'.repeat(4_000_000) })
  t.same(await answer.json(), { bytes: 4_000_000 })
})

// Was wrong when the connection's idle timeout kept running while the response was being made.
t.test('an answer that takes longer than a connection may be idle is given', async (t) => {
  const { url } = await serve(t, { idleMs: 400 })
  const answer = await fetch(`${url}/busy`, {
    method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' }
  })
  t.same(await answer.json(), { a: 1 })
})

// Was wrong when the deadline only answered: the work went on behind it.
t.test(
  'what was refused for taking too long does not happen, and what is about to happen is not refused',
  async (t) => {
    const { url, happened, tried } = await serve(t)
    const ask = async (what: string) => (await fetch(`${url}/${what}`, { method: 'POST' })).status
    t.equal(await ask('prepares-long'), 503)
    await tried
    t.strictSame(happened, [])
    t.equal(await ask('commits-long'), 200)
    t.equal(await ask('one-transaction'), 200)
    t.strictSame(happened, ['commits-long', 'one-transaction'])
  }
)

// Was wrong with Fastify's handlerTimeout, which destroys it.
t.test('a stream that has begun is not cut off', async (t) => {
  const { url } = await serve(t)
  t.equal(await (await fetch(`${url}/stream`)).text(), '01234')
})

/**
 * Writes a whole request before it reads anything, as blocking clients do; returns the response, and whether the
 * connection broke.
 */
async function writeThenRead (port: number, head: string, body: Buffer) {
  const socket = net.connect({ port, host: '127.0.0.1' }).pause()
  let broke = ''
  socket.on('error', ({ code }: Error & { code?: string }) => { broke = code ?? 'yes' })
  const written = new Promise<void>((resolve) =>
    socket.write(Buffer.concat([Buffer.from(head.replaceAll('\n', '\r\n')), body]), () => resolve())
  )
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await Promise.race([written, closed])
  let text = ''
  socket.on('data', (bytes) => { text += bytes }).resume()
  await closed
  return { text, broke }
}

// Was wrong when such connections were closed after a second with the rest unread: some clients got ECONNRESET.
t.test(
  'every client that writes all of a large body before it reads gets the refusal and no broken connection',
  async (t) => {
    const { port } = await serve(t)
    const body = Buffer.alloc(12 * 2 ** 20, 'a')
    const head = `POST /small HTTP/1.1\n${json}Content-Length: ${body.length}\n\n`
    const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
    for (let round = 0; round < 3; round++) {
      const told = await Promise.all([
        ...Array.from({ length: 4 }, () => writeThenRead(port, head, body)),
        ...Array.from({ length: 4 }, () =>
          writeThenRead(port, `POST /small HTTP/1.1\n${json}Transfer-Encoding: chunked\n\n`, chunked)
        )
      ])
      for (const { text, broke } of told) {
        t.equal(broke, '')
        t.match(text, /^HTTP\/1.1 413 [^]*connection: close\r\n/)
        t.equal(text.match(/HTTP\/1.1/g)?.length, 1, 'what came after is not taken for a request')
      }
    }
  }
)

// Was wrong without `linger`: Node read all of it.
t.test('of a long body that was refused 32 MiB are swallowed and no more, its answer arrives, and the connection is closed', async (t) => {
  const { app, port } = await serve(t)
  let read = () => 0
  app.server.on('connection', (socket) => { read = () => socket.bytesRead })
  const long = connect(port, `POST /private HTTP/1.1\n${json}Content-Length: 100000000\n\n`)
  for (let i = 0; i < 100; i++) long.socket.write(Buffer.alloc(1_000_000))
  await long.closed
  t.match(long.text(), /^HTTP\/1.1 401 [^]*connection: close\r\n/)
  t.ok(read() < 40 * 2 ** 20, `${read()} bytes were read`)
})

t.test('a refused body that does not come is waited for no longer than a large one', async (t) => {
  const { app, port } = await serve(t)
  const closed = new Promise((resolve) => app.server.on('connection', (socket) => socket.once('close', resolve)))
  const silent = connect(port, `POST /private HTTP/1.1\n${json}Content-Length: 100000000\n\n`)
  await closed
  silent.socket.destroy()
  t.match(silent.text(), /^HTTP\/1.1 401 [^]*connection: close\r\n/)
})

t.test('a refused body that is all there before its answer can be sent keeps neither the answer nor the end of the connection', async (t) => {
  const { app, port, letGo } = await serve(t, { idleMs: 0 })
  const closed = new Promise((resolve) => app.server.on('connection', (socket) => socket.once('close', resolve)))
  // The response follows that to the request before it, which is given once the whole body has come.
  app.server.on('request', (request) => { if (request.url === '/private') request.once('end', letGo) })
  const both = connect(
    port, `GET /held HTTP/1.1\nHost: x\n\nPOST /private HTTP/1.1\n${json}Content-Length: 1000000\n\n`
  )
  both.socket.write(Buffer.alloc(1_000_000, 'a'))
  await Promise.all([closed, once(both.socket, 'end')])
  both.socket.destroy()
  t.match(both.text(), /^HTTP\/1.1 200 [^]*held[^]*HTTP\/1.1 401 [^]*connection: close\r\n/)
})

t.test('a short body that was refused is swallowed, and its connection serves the next request', async (t) => {
  const { port } = await serve(t)
  const short = connect(port, `POST /private HTTP/1.1\n${json}Content-Length: 3\n\n`)
  await once(short.socket, 'data')
  short.socket.write('"x"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(short.socket, 'data')
  t.match(short.text(), /^HTTP\/1.1 401 [^]*HTTP\/1.1 404 /)
  short.socket.destroy()
})

t.test('a server that is stopping asks its clients to close', async (t) => {
  const { url, stopping } = await serve(t)
  t.equal((await fetch(`${url}/nowhere`)).headers.get('connection'), 'keep-alive')
  stopping.abort()
  t.equal((await fetch(`${url}/nowhere`)).headers.get('connection'), 'close')
})
