import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { answers } from '../../../../src/platform/http/answers.ts'
import { acceptJson } from '../../../../src/platform/http/bodies/json.ts'
import { bodies, type BodyOptions } from '../../../../src/platform/http/bodies/receive.ts'
import { openSpill, spillFolder } from '../../../../src/platform/http/bodies/spill.ts'
import { storageFull } from '../../../../src/platform/storage/sqlite/disk/space.ts'
import { build, draft } from '../../../helper.ts'

const MIB = 2 ** 20

/** Waits until it is so. */
async function until (isSo: () => boolean | Promise<boolean>) {
  while (!await isSo()) await pause(10)
}

/** A server that answers how many bytes of text it received; `/hold` only when released. */
async function serve (t: Test, options: Partial<BodyOptions> = {}) {
  const folder = t.testdir({})
  const app = Fastify({ bodyLimit: 8 * MIB })
  acceptJson(app)
  await app.register(bodies, {
    folder: () => folder,
    limits: { memory: 4 * MIB, disk: 16 * MIB },
    accountOf: ({ headers }) => Number(headers['x-account'] ?? 1),
    ...options
  })
  await app.register(answers, { onRefusal: () => {} })
  let letGo = () => {}
  const held = new Promise<void>((resolve) => { letGo = resolve })
  app.post('/', async ({ body }) => ({ bytes: (body as { text: string }).text.length }))
  app.post('/hold', async () => {
    await held
    return {}
  })
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const post = async (bytes: number, { account = 1, path = '/' } = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body: JSON.stringify({ text: 'x'.repeat(bytes) }),
      headers: { 'content-type': 'application/json', 'x-account': String(account) }
    })
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      body: (await answer.json()) as { bytes?: number, error: { code: string, message: string, fields: object } }
    }
  }
  let last: net.Socket
  app.server.on('connection', (socket) => { last = socket })
  /** Begins a body of 7 MiB and waits until this much of it has arrived. */
  const begin = async (bytes: number, account = 1) => {
    const before = last
    const socket = net.connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    await new Promise((resolve) =>
      socket.write(
        Buffer.concat([
          Buffer.from(
            `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Account: ${account}\r\nContent-Length: ${7 * MIB}\r\n\r\n{"text":"`
          ),
          Buffer.alloc(bytes, 'x')
        ]),
        resolve
      )
    )
    await until(() => last !== before && last.bytesRead > bytes)
    return socket
  }
  return { app, folder, port, post, begin, letGo }
}

t.test('bodies of every size arrive whole, whatever pieces they come in', async (t) => {
  const { post, port, folder } = await serve(t)
  for (const bytes of [1, 60_000, 65_525, 65_536, 70_000, 3 * MIB + 1, 7 * MIB]) {
    t.same((await post(bytes)).body, { bytes })
  }
  const socket = net.connect({ port, host: '127.0.0.1' })
  let told = ''
  socket.on('data', (data) => { told += data })
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (const byte of `{"text":"${'é'.repeat(1000)}"}`) {
    socket.write(`${Buffer.byteLength(byte).toString(16)}\r\n${byte}\r\n`)
  }
  socket.write('0\r\n\r\n')
  await until(() => told.includes('{"bytes":1000}'))
  socket.destroy()
  t.strictSame(readdirSync(folder), [], 'nothing stays behind')
})

t.test('a body that is not as long as it was announced is refused', async (t) => {
  const { app } = await serve(t)
  for (const announced of [9, 12]) {
    const headers = { 'content-type': 'application/json', 'content-length': String(announced) }
    const answer = await app.inject({ method: 'POST', url: '/', payload: '{"text":"x"}'.slice(0, 10), headers })
    t.match(answer.json().error, { code: 'malformed_json', message: /shorter or longer than its Content-Length/ }, `${announced}`)
  }
})

t.test('a body over the limit is told the limit and what to do instead, announced or not', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { id } = (await as.post('/v1/agents/', draft)).json().data
  const over = `{"name":"x"${' '.repeat(300_000)}}`
  const refused = (await as.put(`/v1/agents/${id}`, over, { 'content-type': 'application/json' })).json().error
  t.match(refused, {
    code: 'payload_too_large',
    message: /larger than the 256 KiB that this address takes\. Send less at once/,
    fields: { limit: 262_144 }
  })
  const text = Buffer.alloc(67_108_865, ' ')
  for (const [method, url, instead] of [
    ['post', 'knowledge_sources', /as a file/],
    ['post', 'knowledge_sources/preview', /as a file/],
    ['put', 'knowledge_sources/1', /new source/]
  ] as const) {
    const { error } = (await as[method](`/v1/agents/${id}/${url}`, text, { 'content-type': 'application/json' })).json()
    t.match(error, { code: 'payload_too_large', message: /larger than the 64 MiB/, fields: { limit: 67_108_864 } }, url)
    t.match(error.message, instead)
  }
  const exact = await as.post(`/v1/agents/${id}/knowledge_sources`, text.subarray(1), {
    'content-type': 'application/json'
  })
  t.equal(exact.json().error.code, 'malformed_json', 'exactly 64 MiB are read')
})

// Was wrong when a whole body was kept in memory until it was complete.
t.test(
  'a body that is still coming in is held on disk, where nobody can read it, and nothing of it stays',
  async (t) => {
    const { folder, begin, post } = await serve(t)
    const written = () =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder) ? [readFileSync(`/proc/self/fd/${fd}`)] : []
        } catch {
          return []
        }
      })
    const socket = await begin(3 * MIB)
    await until(() => (written()[0]?.length ?? 0) > 2.9 * MIB)
    t.strictSame(readdirSync(folder), [], 'it has no name')
    t.notOk(written()[0]!.includes('xxxxxxxx'), 'it is encrypted')
    socket.destroy()
    await until(() => written().length === 0)
    t.same((await post(10)).body, { bytes: 10 })
  }
)

t.test('an account with too much under way is asked to come again later, and others are not', async (t) => {
  const { begin, post } = await serve(t, { limits: { memory: 64 * MIB, disk: 12 * MIB } })
  const open = [await begin(5 * MIB)]
  const { status, retryAfter, body } = await post(2 * MIB)
  t.match([status, retryAfter, body.error.code], [429, '10', 'rate_limited'])
  t.equal((await post(2 * MIB, { account: 2 })).status, 200, 'another account has room')
  t.equal((await post(60_000)).status, 200, 'what is small needs none')
  open.push(await begin(5 * MIB, 2))
  t.match(await post(4 * MIB, { account: 3 }), {
    status: 503, retryAfter: '10', body: { error: { code: 'unavailable' } }
  })
  for (const socket of open) socket.destroy()
  await until(async () => (await post(5 * MIB, { account: 3 })).status === 200)
  t.equal((await post(5 * MIB)).status, 200, 'what was taken is given back')
})

t.test('bodies that are being worked on share the memory there is: more wait, and are refused when it takes too long', async (t) => {
  const { post, letGo } = await serve(t, { patienceMs: 100, limits: { memory: 4 * MIB, disk: 64 * MIB } })
  const holding = post(3 * MIB, { path: '/hold' })
  await until(async () => (await post(1.5 * MIB)).status === 503)
  t.match(await post(1.5 * MIB), { status: 503, retryAfter: '10', body: { error: { code: 'unavailable' } } })
  t.equal((await post(0.5 * MIB, { account: 2 })).status, 200, 'a smaller one of another account fits')
  letGo()
  t.equal((await holding).status, 200)
  t.equal((await post(3 * MIB)).status, 200)
})

t.test('without room on the disk a large body is refused, and a small one is not', async (t) => {
  const { post } = await serve(t, { checkRoom: () => { throw storageFull() } })
  t.match(await post(MIB), { status: 507, body: { error: { code: 'storage_full' } } })
  t.equal((await post(1000)).status, 200)
  const { post: onFull } = await serve(t, { folder: () => '/dev/full/nothing' })
  t.match(await onFull(MIB), { status: 500, body: { error: { code: 'internal_error' } } })
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
  const { post: onFullDisk } = await serve(t, { checkRoom: () => { throw full } })
  t.match(await onFullDisk(MIB), { status: 507, body: { error: { code: 'storage_full' } } })
})

t.test('what a killed process left is removed before anything new is put there', async (t) => {
  const directory = t.testdir({ incoming: { old: 'left' } })
  const folder = spillFolder(directory)
  t.strictSame(readdirSync(folder), [])
  const spill = await openSpill(folder)
  await spill.write([Buffer.from('one '), Buffer.from('two')])
  t.equal(String(await spill.read()), 'one two')
  await spill.close()
  writeFileSync(`${folder}/x`, '')
  t.strictSame(readdirSync(spillFolder(directory)), [])
})
