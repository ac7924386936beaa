import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readConfig } from '../../../src/config.ts'
import { limitConnections } from '../../../src/platform/http/connections.ts'
import { build } from '../../helper.ts'

async function serve (t: Test, limits: { most: number, perAddress: number }) {
  const refused: string[] = []
  const server = createServer((_request, response) => { response.end('hello') })
  limitConnections(server, { ...limits, blockOf: (address) => address, onRefused: (why) => refused.push(why) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: net.Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  /** Connects, and says whether a request is answered. */
  async function connect (localAddress = '127.0.0.1') {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const answered = await Promise.race([
      once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)
    ])
    return { socket, answered }
  }
  return { connect, refused }
}

// Both seen red without the limit.
t.test('no more than so many connections are taken at the same time', async (t) => {
  const { connect, refused } = await serve(t, { most: 3, perAddress: 0 })
  for (let i = 0; i < 3; i++) t.ok((await connect()).answered)
  t.notOk((await connect()).answered)
  t.strictSame(refused, ['server'])
})

t.test('no more than so many from one address, and one that leaves makes room', async (t) => {
  const { connect, refused } = await serve(t, { most: 100, perAddress: 2 })
  const first = await connect()
  t.ok((await connect()).answered)
  t.notOk((await connect()).answered)
  t.ok((await connect('127.0.0.2')).answered, 'another address is not affected')
  first.socket.destroy()
  await pause(50)
  t.ok((await connect()).answered)
  t.strictSame(refused, ['address'])
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
      { code: 'VALIDATION_ERROR', message: /AGENTHALL_TRUST_PROXY is .*Addresses or networks/s },
      bad
    )
  }
})
