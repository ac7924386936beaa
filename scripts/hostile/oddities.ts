import net from 'node:net'
import { headersOf, pick, send, type Answer, type Attack, type Target, type Visitor } from './attacks.ts'

/*
 * What no ordinary client sends: connections that never get further, headers twice and by the thousand, empty forms,
 * names that every object has, imports that are deep, cyclic or not text.
 */

/** Sends bytes and waits for an answer, at most this long. */
function sendRaw ({ port }: Target, from: string, text: string, ms: number, drip?: string) {
  return new Promise<Answer>((resolve) => {
    let answered = ''
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: from })
    const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 100)
    const done = () => {
      clearInterval(dripping)
      resolve({ status: Number(/^HTTP\/1.1 (\d+)/.exec(answered)?.[1] ?? 0), text: answered })
    }
    socket.on('data', (piece) => { answered += piece.toString('latin1') }).once('close', done).on('error', () => {})
    socket.write(text, 'latin1')
    setTimeout(() => socket.destroy(), ms)
  })
}

const HEADERS = [
  'idempotency-key: a\r\nidempotency-key: b\r\n', `idempotency-key: ${'k'.repeat(8000)}\r\n`, 'authorization: Bearer x\r\n',
  `cookie: ${'a=b; '.repeat(2500)}\r\n`, 'cookie: __proto__=x; constructor=%E0%A4%A\r\n', `if-match: ${'"x",'.repeat(3000)}\r\n`,
  `if-none-match: ${'W/"x", '.repeat(2000)}\r\n`, Array.from({ length: 1500 }, (_none, i) => `x-${i}: 1\r\n`).join(''),
  `accept-language: ${'de;q=0.1,'.repeat(1500)}\r\n`, `x-forwarded-for: ${'1.2.3.4,'.repeat(1800)}\r\n`, 'expect: 200-ok\r\n',
  'content-length: 3\r\n', 'content-length: 2, 2\r\n', 'transfer-encoding: chunked\r\n', 'x-a: b\r\n c\r\n', 'last-event-id: \xff\r\n'
]

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
const FORM = 'multipart/form-data; boundary=x'
const FORMS = [
  '--x\r\n'.repeat(20_000), '--x\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\n1\r\n--x--\r\n',
  `--x\r\n${'a: b\r\n'.repeat(5000)}\r\n1\r\n--x--`, '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nno end'
]
const fileOf = (name: string, text: string) =>
  `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}\r\n--x--\r\n`
const IMPORTS = [
  fileOf('a.json', '['.repeat(100_000)), fileOf('a.json', '{"__proto__":{"x":1},"nodes":[{"data":{"constructor":{}}}],"edges":[]}'),
  fileOf('a.json', JSON.stringify({
    nodes: Array.from({ length: 2000 }, (_none, i) => ({ id: `n${i}`, data: { name: 'chatOpenAI', inputs: { model: `{{n${(i + 1) % 2000}.data.instance}}` } } })),
    edges: []
  })),
  fileOf('a.yml', 'a: &a [x,x,x]\nb: &b [*a,*a,*a]\nself: &s\n  again: *s\n'), fileOf('a.csv', 'question,answer\n' + '"a'.repeat(20_000)), fileOf('a.zip', 'PK\x03\x04')
]

async function asAccount (target: Target, method: string, path: string, body: string, type = 'application/json') {
  const headers = { 'content-type': type, authorization: `Api-Key ${target.freeKey}` }
  return await send(target, { method, path, from: '127.0.0.1', headers, body })
}

const streamed = async (target: Target, { from, token, conversation }: Visitor, id: string) => await send(target, {
  path: `/v1/widget/conversations/${conversation}/events`, headers: { ...headersOf(target, token), 'last-event-id': id }, from, cutAfter: 150
})

/** By name. */
export const ODDITIES: Record<string, Attack> = {
  'connections that get no further': async (target, { from }, n) => await Promise.all(Array.from({ length: 20 }, async (_none, i) =>
    await sendRaw(target, from, pick(['POST /v1/agents HTTP/1.1\r\n', 'GET / HTTP/1.1\r\nx', '', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 60000000\r\n\r\n{'], n + i), 1500, 'x'))),
  'headers that are odd': async (target, { from }, n) => [await sendRaw(
    target, from, `POST /v1/widget/session HTTP/1.1\r\nhost: a\r\n${pick(HEADERS, n)}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`, 500
  )],
  'streams from odd places': async (target, visitor, n) => await Promise.all(
    ['0', '-1', '9'.repeat(30), 'NaN', '__proto__', 'x'.repeat(4000)].map(async (id) => await streamed(target, visitor, pick([id, `${n}`], n)))
  ),
  'forms of nothing': async (target, _visitor, n) => [
    await asAccount(target, 'POST', `/v1/agents/${target.freeAgent}/knowledge_sources/preview`, pick(FORMS, n), FORM),
    await asAccount(target, 'POST', '/v1/imports', pick([...IMPORTS, ...FORMS], n), FORM)
  ],
  'names that every object has': async (target, _visitor, n) => await Promise.all([
    ['PUT', `/v1/agents/${target.freeAgent}`], ['POST', '/v1/webhooks'], ['POST', '/v1/actions'], ['PUT', '/v1/business'], ['POST', '/v1/config/plan'],
    ['PUT', `/v1/agents/${target.freeAgent}/vocabulary`]
  ].map(async ([method, path]) => await asAccount(target, method!, path!, `{"${pick(NAMES, n)}":{"x":1},"behavior":{"${pick(NAMES, n)}":1}}`))),
  'lists of thousands': async (target, _visitor, n) => [await asAccount(target, 'POST', '/v1/webhooks', JSON.stringify({
    url: 'https://example.com', events: Array.from({ length: 9000 }, (_none, i) => `x${i * n}`)
  }))]
}
