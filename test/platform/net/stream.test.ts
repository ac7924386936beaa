import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { egress } from '../../../src/platform/net/egress.ts'
import type { StreamOptions } from '../../../src/platform/net/egress.ts'
import { fetchOver } from '../../../src/platform/net/fetch.ts'
import { serve } from './serve.ts'

const LONG = { firstByteMs: 20_000, silenceMs: 20_000, totalMs: 60_000 }

/** An egress to one server, and how to call it. */
async function asking (t: Test, answer: (request: IncomingMessage, reply: ServerResponse) => void) {
  const { port, hits } = await serve(t, answer)
  const out = egress({ allowedHosts: ['127.0.0.1'], userAgent: 'Agenthall/0.0.0' })
  t.teardown(() => out.close())
  const address = (path: string) => `http://127.0.0.1:${port}/${path}`
  return {
    out,
    address,
    hits,
    stream: (path = '', options: Partial<StreamOptions> = {}) =>
      out.stream(address(path), { maxBytes: 1e6, limits: LONG, ...options })
  }
}

t.test('an answer is handed over as it comes, piece by piece', async (t) => {
  const replies: ServerResponse[] = []
  const { stream } = await asking(t, (_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream', 'x-two': ['a', 'b'] }).flushHeaders()
    replies.push(reply)
  })
  const answer = await stream()
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('content-type'), 'text/event-stream')
  t.equal(answer.headers.get('x-two'), 'a, b')
  const reader = answer.body!.getReader()
  for (const piece of ['one', 'Grüße', '\u{1F600}']) {
    replies[0]!.write(piece)
    t.equal(Buffer.from((await reader.read()).value!).toString(), piece, 'before the next was written')
  }
  replies[0]!.end()
  t.strictSame(await reader.read(), { value: undefined, done: true })
})

t.test('what is asked arrives as it was sent, with any method and body', async (t) => {
  const { stream, hits } = await asking(t, async (request, reply) => {
    const { method, url, headers } = request
    reply.end(
      JSON.stringify({ method, url, body: await text(request), 'x-a': headers['x-a'], agent: headers['user-agent'] })
    )
  })
  const said = async (path: string, options: Partial<StreamOptions>) => await (await stream(path, options)).json()
  t.strictSame(await said('a?b=1', { method: 'POST', body: '{"x":1}', headers: { 'x-a': 'y' } }), {
    method: 'POST', url: '/a?b=1', body: '{"x":1}', 'x-a': 'y', agent: 'Agenthall/0.0.0'
  })
  t.match(await said('', { method: 'PUT', body: Buffer.from('Grüße') }), { method: 'PUT', body: 'Grüße' })
  t.match(await said('', { method: 'DELETE' }), { method: 'DELETE', body: '' })
  t.match(await said('', {}), { method: 'GET' })
  t.ok(hits() < 4, 'a connection that was read to its end is used again')
})

t.test('every status is handed over, and redirects are not followed', async (t) => {
  const { stream, hits } = await asking(t, ({ url }, reply) => {
    const status = Number(url?.slice(1))
    reply.writeHead(status, { location: '/200' }).end(status === 204 ? undefined : 'body')
  })
  for (const status of [200, 302, 401, 429, 500, 503]) {
    const answer = await stream(String(status))
    t.equal(answer.status, status)
    t.equal(await answer.text(), 'body')
  }
  const none = await stream('204')
  t.equal(none.status, 204)
  t.equal(none.body, null)
  await t.rejects(stream('999'), { code: 'unreachable' }, 'a status that there is not')
  t.ok(hits() > 0)
})

t.test('a packed answer is unpacked as it comes, and no larger than allowed', async (t) => {
  const zeros = Buffer.alloc(8 * 1024 * 1024)
  const packed: Record<string, Buffer> = { gzip: gzipSync('Grüße'), br: brotliCompressSync('Grüße') }
  const { stream } = await asking(t, ({ url = '' }, reply) => {
    const name = url.slice(1)
    if (name === 'bomb') return reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(zeros))
    if (name === 'long') return reply.end('x'.repeat(1001))
    if (name === 'endless') {
      const write = () => {
        while (!reply.destroyed && reply.write(zeros));
      }
      reply.on('drain', write)
      return write()
    }
    if (name === 'twice') return reply.writeHead(200, { 'content-encoding': 'gzip, br' }).end('x')
    if (name === 'broken') return reply.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
    if (name === 'slowly') {
      const gzip = createGzip()
      gzip.pipe(reply.writeHead(200, { 'content-encoding': 'gzip' }))
      gzip.write('first')
      return gzip.flush()
    }
    reply.writeHead(200, { 'content-encoding': name }).end(packed[name])
  })
  for (const name of ['gzip', 'br']) {
    const answer = await stream(name)
    t.equal(answer.headers.get('content-encoding'), null, 'what is handed over is not packed any more')
    t.equal(await answer.text(), 'Grüße')
  }
  const reader = (await stream('slowly')).body!.getReader()
  t.equal(Buffer.from((await reader.read()).value!).toString(), 'first', 'before the end is there')
  await reader.cancel()
  await t.rejects(stream('long', { maxBytes: 1000 }), { code: 'too_large' }, 'its length is known before')
  for (const name of ['bomb', 'endless']) await t.rejects((await stream(name)).text(), { code: 'too_large' }, name)
  await t.rejects(stream('twice'), { code: 'unsupported_content' })
  await t.rejects((await stream('broken')).text(), { code: 'unreachable' })
})

t.test('who does not answer in time is left: before the first byte, in a silence, or over all', async (t) => {
  let closed: Promise<unknown> | undefined
  const { stream } = await asking(t, ({ url }, reply) => {
    closed = once(reply, 'close')
    if (url === '/nothing') return
    if (url === '/headers') return reply.flushHeaders()
    reply.write('x')
    if (url === '/silent') return
    const drip = setInterval(() => reply.write('x'), 5)
    reply.on('close', () => clearInterval(drip))
  })
  const late = { code: 'timeout', retryable: true, message: /too long/ }
  await t.rejects(stream('nothing', { limits: { ...LONG, firstByteMs: 50 } }), late)
  await t.rejects((await stream('headers', { limits: { ...LONG, firstByteMs: 50 } })).text(), late)
  await t.rejects((await stream('silent', { limits: { ...LONG, silenceMs: 50 } })).text(), late)
  await t.rejects((await stream('drip', { limits: { ...LONG, totalMs: 100 } })).text(), late)

  const patient = (await stream('silent', { limits: { ...LONG, silenceMs: 50 } })).body!.getReader()
  t.equal((await patient.read()).value?.length, 1)
  await t.rejects((await stream('silent', { limits: { ...LONG, silenceMs: 100 } })).text(), late)
  await t.rejects(patient.read(), late, 'time in which nobody waits is not counted')
  const left = (await stream('silent', { limits: { ...LONG, totalMs: 50 } })).body!.getReader()
  await left.read()
  await closed
  await t.rejects(left.read(), late, 'given up while nobody was reading')
})

t.test('an answer that breaks off says so, after all that had come', async (t) => {
  const { stream } = await asking(t, ({ url }, reply) => {
    if (url === '/reset') return reply.socket!.resetAndDestroy()
    reply.writeHead(200, { 'content-length': 100 }).write('half', () => reply.socket!.destroy())
  })
  await t.rejects(stream('reset'), { code: 'unreachable', retryable: true })
  const reader = (await stream('half')).body!.getReader()
  t.equal(Buffer.from((await reader.read()).value!).toString(), 'half')
  await t.rejects(reader.read(), { code: 'unreachable', retryable: true })
})

t.test('a caller who gives up is told its own reason, and the connection is closed', async (t) => {
  const closed: Array<Promise<unknown>> = []
  const { stream } = await asking(t, ({ url }, reply) => {
    closed.push(once(reply, 'close'))
    if (url !== '/silent') reply.write('x')
  })
  const reason = new Error('the visitor stopped it')
  const before = new AbortController()
  const waiting = stream('silent', { signal: before.signal })
  setImmediate(() => before.abort(reason))
  await t.rejects(waiting, reason, 'before the headers')
  await t.rejects(stream('silent', { signal: before.signal }), reason, 'before it began')

  const during = new AbortController()
  const reader = (await stream('', { signal: during.signal })).body!.getReader()
  await reader.read()
  const next = reader.read()
  during.abort(reason)
  await t.rejects(next, reason, 'in the middle')

  const left = (await stream()).body!.getReader()
  await left.read()
  await left.cancel()
  await Promise.all(closed)
})

t.test('what is no address, or a private one, is refused before anything is sent', async (t) => {
  const { port, hits } = await serve(t, (_, reply) => reply.end('secret'))
  const out = egress({ allowedHosts: [], userAgent: 'x', lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
  t.teardown(() => out.close())
  const asked = (address: string) => out.stream(address, { method: 'POST', body: 'secret', maxBytes: 10, limits: LONG })
  await t.rejects(asked('file:///etc/passwd'), { code: 'invalid_address' })
  await t.rejects(asked(`http://me@127.0.0.1:${port}/`), { code: 'invalid_address' })
  await t.rejects(asked(`http://127.0.0.1:${port}/`), { code: 'address_refused' })
  await t.rejects(asked(`http://public.test:${port}/`), { code: 'address_refused' })
  t.equal(hits(), 0)
})

t.test('libraries that ask for a fetch are given one over the same way out', async (t) => {
  const { out, address } = await asking(t, async (request, reply) => {
    const { method, headers } = request
    reply
      .writeHead(201)
      .end(JSON.stringify({ method, type: headers['content-type'], key: headers['x-key'], body: await text(request) }))
  })
  const fetch = fetchOver(out, { maxBytes: 1000, limits: LONG })
  const answer = await fetch(address(''), {
    method: 'POST', headers: { 'content-type': 'application/json', 'X-Key': 'k' }, body: '{"a":"ü"}'
  })
  t.equal(answer.status, 201)
  t.strictSame(await answer.json(), { method: 'POST', type: 'application/json', key: 'k', body: '{"a":"ü"}' })
  t.match(await (await fetch(new URL(address('')))).json(), { method: 'GET', body: '' })
  t.match(await (await fetch(new Request(address(''), { method: 'PUT', body: 'x' }))).json(), {
    method: 'PUT', body: 'x'
  })
  const reason = new Error('enough')
  await t.rejects(fetch(address(''), { signal: AbortSignal.abort(reason) }), reason)
  await t.rejects(fetch('http://10.0.0.1/'), { code: 'address_refused' })
})
