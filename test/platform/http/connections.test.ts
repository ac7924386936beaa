import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readConfig } from '../../../src/config.ts'
import { build } from '../../helper.ts'

/** Resolves once a connection is closed, by a reset too. */
const closed = (socket: net.Socket) => new Promise<void>((resolve) => {
  if (socket.closed) resolve()
  else socket.once('close', () => resolve())
})

async function serve (t: Test, limits: { most: number, perAddress: number }) {
  const { app } = await build(t, {
    AGENTHALL_MAX_CONNECTIONS: String(limits.most), AGENTHALL_MAX_CONNECTIONS_PER_ADDRESS: String(limits.perAddress)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const sockets: net.Socket[] = []
  t.teardown(() => { for (const socket of sockets) socket.destroy() })

  /** Connects, and returns the response to a request: nothing if it is hung up on. */
  async function connect (localAddress = '127.0.0.1', path = '/healthz') {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const text = await new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(String(data))).once('close', () => resolve(''))
    })
    return { socket, text, status: Number(text.split(' ')[1]) }
  }

  /** Connects without sending anything. */
  async function idle () {
    const socket = net.connect({ port, host: '127.0.0.1' })
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  async function refused () {
    const { body } = await app.inject({ url: '/metrics' })
    return [...body.matchAll(/connections_refused_total\{limit="(\w+)"\} (\d+)/g)].map(([, limit, count]) => [limit, count])
  }
  return { connect, idle, refused }
}

// All were wrong without the limits, and with a reset in place of a response.
t.test('no more than so many connections are taken at the same time; the next is told so and closed', async (t) => {
  const { connect, refused } = await serve(t, { most: 10, perAddress: 0 })
  for (let i = 0; i < 10; i++) t.equal((await connect()).status, 200)
  const { socket, text, status } = await connect()
  t.equal(status, 503)
  t.match(text, /\r\nretry-after: 5\r\n/)
  t.match(text, /\r\nx-content-type-options: nosniff\r\n/)
  t.match(text, /\r\nconnection: close\r\n/)
  t.match(text, /\r\nx-request-id: \S/)
  t.match(text, /"code":"unavailable","message":"Too many connections are open; close some/)
  await closed(socket)
  t.equal((await connect('127.0.0.1', '/nothing')).status, 503, 'whatever it asks for')
  t.strictSame(await refused(), [['server', '2']])
})

t.test('no more than so many from one address, and one that leaves makes room', async (t) => {
  const { connect, refused } = await serve(t, { most: 100, perAddress: 2 })
  const first = await connect()
  t.equal((await connect()).status, 200)
  t.equal((await connect()).status, 503)
  t.equal((await connect('127.0.0.2')).status, 200, 'another address is not affected')
  first.socket.destroy()
  await pause(50)
  t.equal((await connect()).status, 200)
  t.strictSame(await refused(), [['address', '1']])
})

t.test('who holds connections above the limit without asking anything is hung up on, and so are more of them', async (t) => {
  const { connect, idle } = await serve(t, { most: 100, perAddress: 1 })
  t.equal((await connect()).status, 200)
  const held = await Promise.all(Array.from({ length: 64 }, idle))
  t.notOk((await connect()).text, 'more than are answered at the same time')
  t.equal((await connect('127.0.0.2')).status, 200, 'another address is not affected')
  const started = performance.now()
  await Promise.all(held.map(closed))
  t.ok(performance.now() - started < 9000, 'long before headers are due')
  t.equal((await connect()).status, 503)
})

const CLAIMS = [
  '203.0.113.9', '203.0.113.9, 198.51.100.1', '127.0.0.1', '::1', '::ffff:203.0.113.9', '[2001:db8::1]:4711',
  '203.0.113.9:80', 'unknown', '"><script>', ' , ,203.0.113.9,, '
]

t.test('ten forms of X-Forwarded-For change nothing when no proxy is trusted', async (t) => {
  const { app } = await build(t, { AGENTHALL_AUTH_FAILURES: '1' })
  for (const [i, claim] of CLAIMS.entries()) {
    const { statusCode } = await app.inject({
      url: '/v1/agents',
      remoteAddress: '192.0.2.1',
      headers: { authorization: 'Api-Key no', 'x-forwarded-for': claim, forwarded: `for=${claim}`, 'x-real-ip': claim }
    })
    t.equal(statusCode, i === 0 ? 401 : 429, `"${claim}" counts as the socket's address`)
  }
})

t.test('behind a trusted proxy the last address that is not a proxy counts', async (t) => {
  const { app } = await build(t, {
    AGENTHALL_AUTH_FAILURES: '1', AGENTHALL_TRUST_PROXY: '192.0.2.1, 10.0.0.0/8, fd00::/8'
  })
  const ask = async (claim: string, remoteAddress = '192.0.2.1') => (await app.inject({
    url: '/v1/agents', remoteAddress, headers: { authorization: 'Api-Key no', 'x-forwarded-for': claim }
  })).statusCode
  t.equal(await ask('203.0.113.9'), 401)
  t.equal(await ask('203.0.113.9'), 429)
  t.equal(await ask('198.51.100.1, 203.0.113.9'), 429, 'what the client put in front is not believed')
  t.equal(await ask('203.0.113.9, 10.1.2.3'), 429, 'a second proxy is passed over')
  t.equal(await ask('203.0.113.9, fd00::1'), 429)
  t.equal(await ask('203.0.113.10'), 401, 'another client is another client')
  t.equal(await ask('203.0.113.9', '192.0.2.77'), 401, 'who is not a proxy counts itself')
  t.equal(await ask('203.0.113.11', '192.0.2.77'), 429)
})

t.test('a proxy is trusted by its address or network and in no other way', async (t) => {
  for (const good of ['127.0.0.1', '::1', '10.0.0.0/8', '2001:db8::/32,192.0.2.1', '']) {
    t.strictSame(readConfig({ AGENTHALL_TRUST_PROXY: good }).TRUST_PROXY, good.split(',').filter(Boolean))
  }
  for (const bad of [
    'true', '1', '*', 'loopback', 'proxy.example.com', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/8/8',
    '10.0.0.0/', '127.0.0.1,true'
  ]) {
    t.throws(
      () => readConfig({ AGENTHALL_TRUST_PROXY: bad }),
      { code: 'VALIDATION_ERROR', message: /AGENTHALL_TRUST_PROXY is .*addresses or networks/s },
      bad
    )
  }
})
