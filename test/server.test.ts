import './bare-children.ts'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readConfig } from '../src/config.ts'
import { dataFile } from '../src/data-file.ts'
import { runUntilTold, startServer, type Host } from '../src/server.ts'
import { FROM_SOURCE } from './source.ts'
import { draft } from './helper.ts'

/** A server on a free port over a fresh file, and its log. */
async function start (t: Test, settings: Record<string, string> = {}) {
  const directory = t.testdir({})
  const lines: string[] = []
  const server = await startServer(readConfig({ AGENTHALL_DATA: directory, AGENTHALL_PORT: '0', ...settings }), {
    log: { write: (line) => lines.push(line) }
  })
  t.teardown(() => server.close())
  const { port } = server.app.server.address() as AddressInfo
  return { ...server, port, file: dataFile(directory), log: () => lines.join('') }
}

/** A client's connection that sends further requests only when told to, and reads each response. */
async function keepAlive (port: number) {
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return {
    socket,
    closed,
    async ask (text = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n') {
      socket.write(text)
      const [bytes] = await once(socket, 'data')
      return String(bytes)
    }
  }
}

/** A stand-in for the process: signals are events, and exits are recorded. */
function fakeHost () {
  const events = new EventEmitter()
  const exits: number[] = []
  const host = {
    on: events.on.bind(events),
    exit (code: number) {
      exits.push(code)
      events.emit('exited')
    }
  } as unknown as Host
  return {
    host,
    exits,
    tell: (name: string, ...args: unknown[]) => events.emit(name, ...args),
    exited: once(events, 'exited')
  }
}

// Was wrong with app.close() alone: the idle client was waited for, or nobody answered the running request.
t.test('closing finishes what runs, lets idle clients go and folds the log into the file', async (t) => {
  const { app, port, firstKey, file, close } = await start(t)
  const idle = await keepAlive(port)
  await idle.ask()
  const busy = await keepAlive(port)
  const body = JSON.stringify(draft)
  const answer = busy.ask(
    `POST /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${firstKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
  await new Promise<void>((resolve) => app.server.once('request', () => resolve()))
  await close()
  t.match(await answer, /^HTTP\/1.1 201 [^]*connection: close/)
  await Promise.all([idle.closed, busy.closed])
  t.notOk(existsSync(`${file}-wal`))
  await close()
})

t.test('clients that keep asking learn that the server stops before it does', async (t) => {
  const { port, close } = await start(t)
  const client = await keepAlive(port)
  t.match(await client.ask(), /^HTTP\/1.1 200 [^]*Connection: keep-alive/)
  const closed = close({ graceMs: 1000 })
  await pause(100)
  t.match(
    await client.ask('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'),
    /^HTTP\/1.1 503 [^]*connection: close[^]*shutting down/
  )
  await client.closed
  await closed
})

// Was wrong without the deadline: it never ended.
t.test('who does not come to an end by the deadline is cut off, and it is said how many', async (t) => {
  const { port, close, log } = await start(t)
  const stuck = await keepAlive(port)
  stuck.socket.write('GET /healthz HTTP/1.1\r\nHost:')
  await pause(50)
  await close({ deadlineMs: 200 })
  await stuck.closed
  t.match(log(), /"connections":1,"msg":"cut off/)
})

t.test('told to stop, it finishes and leaves with 0; told twice, it leaves at once', async (t) => {
  for (const [signal, code] of [['SIGTERM', 143], ['SIGINT', 130]] as const) {
    const server = await start(t)
    const { host, exits, tell, exited } = fakeHost()
    runUntilTold(server, host)
    const client = await keepAlive(server.port)
    tell(signal)
    tell(signal)
    t.strictSame(exits, [code])
    await exited
    client.socket.destroy()
    await server.close()
    await pause(0)
    t.strictSame(exits, [code, 0])
    t.match(server.log(), `"signal":"${signal}"`)
  }
})

// Was wrong: a signal in the first moments after it listened killed the server, and the next start checked the whole
// file, 2 s for 1.4 GB. Was wrong with signals that are handled only when it has come up.
t.test('told to stop while it comes up, it does so once it has, and leaves the file in order', async (t) => {
  const directory = t.testdir({})
  const { host, exits, tell, exited } = fakeHost()
  const server = await startServer(readConfig({ AGENTHALL_DATA: directory, AGENTHALL_PORT: '0' }), {
    log: false,
    beforeListening (server) {
      runUntilTold(server, host)
      tell('SIGTERM')
    }
  })
  await exited
  t.strictSame(exits, [0])
  await t.rejects(fetch(server.address))
  t.notOk(existsSync(`${dataFile(directory)}-wal`))
})

t.test('a fault that nothing caught is logged, and the server finishes and leaves with 1', async (t) => {
  const server = await start(t)
  const { host, exits, tell, exited } = fakeHost()
  runUntilTold(server, host)
  tell('uncaughtException', new Error('a planted fault'), 'uncaughtException')
  tell('uncaughtException', new Error('another'), 'unhandledRejection')
  await exited
  t.strictSame(exits, [1])
  t.match(server.log(), /"level":"fatal"[^]*a planted fault[^]*another[^]*"msg":"stopped"/)
})

t.test('a server that cannot stop in order says so and leaves with 1', async (t) => {
  const server = await start(t)
  const { host, exits, tell, exited } = fakeHost()
  runUntilTold({ ...server, close: async () => { throw new Error('the disk is gone') } }, host)
  tell('SIGTERM')
  await exited
  t.strictSame(exits, [1])
  t.match(server.log(), 'the disk is gone')
})

t.test('where it cannot listen it says why, and leaves the data closed', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const directory = t.testdir({})
  const attempt = (settings: Record<string, string>) =>
    startServer(readConfig({ AGENTHALL_DATA: directory, ...settings }), { log: false })
  await t.rejects(attempt({ AGENTHALL_PORT: String(port) }), {
    code: 'unavailable', message: `Port ${port} on 127.0.0.1 is already in use.`
  })
  t.notOk(existsSync(`${dataFile(directory)}-wal`))
  await t.rejects(attempt({ AGENTHALL_PORT: '0', AGENTHALL_HOST: '203.0.113.1' }), {
    message: 'This machine has no address 203.0.113.1.'
  })
  await t.rejects(attempt({ AGENTHALL_PORT: '0', AGENTHALL_HOST: 'not/a/name' }), {
    message: 'There is no address for the name not/a/name.'
  })
})

t.test('what is not HTTP is answered in the shape of every error, and counted', async (t) => {
  const { port, address } = await start(t)
  const client = await keepAlive(port)
  t.match(await client.ask('\x16\x03\x01 hello\r\n\r\n'), /^HTTP\/1.1 400 [^]*{"error":{"code":"malformed_json"/)
  await client.closed
  t.match(await (await fetch(`${address}/metrics`)).text(), 'agenthall_refusals_total{code="malformed_json"} 1')
})

t.test('the program itself: one address for localhost, the key shown once, SIGTERM, exit code 0', async (t) => {
  const server = spawn(
    'node',
    [...FROM_SOURCE, 'serve', '--port', '0', '--host', 'localhost', '--data', t.testdir({})],
    { stdio: ['ignore', 'pipe', 'pipe'] }
  )
  t.teardown(() => server.kill('SIGKILL'))
  let notes = ''
  for await (const text of server.stderr) {
    notes += text
    if (notes.includes('curl -X PUT')) break
  }
  const [, port] = /http:\/\/localhost:(\d+)/.exec(notes)!
  t.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
  server.kill('SIGTERM')
  t.strictSame(await once(server, 'exit'), [0, null])
})
