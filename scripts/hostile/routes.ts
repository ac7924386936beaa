import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { headersOf, pick, send, type Answer, type Attack, type Target, type Visitor } from './attacks.ts'

/*
 * Every route of the interface with values that nobody means, by a free key and by visitors; and visitors that reach
 * for what others have said, with a token of their own.
 */

interface Parameter { name: string, in: string }
interface Operation { parameters?: Parameter[], requestBody?: { content?: Record<string, { schema?: Schema }> } }
interface Schema { properties?: Record<string, unknown>, $ref?: string, allOf?: Schema[], anyOf?: Schema[] }

const { paths, components } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../openapi.json'), 'utf8')
) as { paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, Schema> } }

/** What takes the agent or the key away that the others attack with. */
const SPARED = new Set(['delete /v1/agents/{id}', 'delete /v1/api_keys/{id}'])

interface Route { method: string, at: string, parameters: Parameter[], fields: string[], type: string | undefined }

/** Names of the fields of a body. */
const fieldsIn = ({ properties = {}, $ref, allOf = [], anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...($ref ? fieldsIn(components.schemas[$ref.split('/').at(-1)!] ?? {}) : []),
  ...[...allOf, ...anyOf].flatMap(fieldsIn)
]

const ROUTES: Route[] = Object.entries(paths).flatMap(([at, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]): Route[] => {
    const [type, { schema = {} } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? []
    return SPARED.has(`${method} ${at}`) ? [] : [{ method, at, parameters, fields: fieldsIn(schema), type }]
  }))

const LONG = 100_000
const PLACES = [
  '1', '2', '0', '-1', '9007199254740993', '1e3', '1.5', '%00', '__proto__', '..%2f..', '%e3%81%82', 'x'.repeat(900), 'conv_'
]
const QUERIES = [
  '', '-1', '0', '1e9', '9'.repeat(40), 'true', 'null', '[object Object]', 'eyJhIjoxfQ', 'W10', 'bnVsbA', 'e30', '2026-02-30', '2026-01-01T00:00:00Z',
  '0000-00-00', '+275760-09-13', '%00', '%ed%a0%80', '漢'.repeat(300), '%', '__proto__', 'a,a,a,a', '(', "'", 'x'.repeat(3000)
].map((one) => one.includes('%') ? one : encodeURIComponent(one))
const VALUES: unknown[] = [
  null, true, 0, -1, 1e308, 2 ** 53, '', ' ', '\u0000', '\ud800', '\u202e', '.'.repeat(LONG), '漢'.repeat(LONG), '['.repeat(LONG), 'a@'.repeat(LONG / 2),
  [], [null], [[[[]]]], {}, { a: { a: { a: {} } } }, Array.from({ length: 5000 }, (_none, i) => i), 'https://x:1/\\@a', '2026-13-45', 'javascript:alert(1)',
  Object.fromEntries(Array.from({ length: 2000 }, (_none, i) => [`k${i}`, i]))
]

/** One route, called with the nth odd values. */
async function odd (
  target: Target, route: Route, n: number, headers: Record<string, string>, from: string
): Promise<Answer> {
  const { method, at, parameters, fields, type } = route
  // Every third request keeps its ids right, so that what comes after them is reached.
  const id = at.startsWith('/v1/agents') ? `${target.freeAgent}` : '1'
  const place = at.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    if (n % 3 === 0) return pick(PLACES, n + name.length)
    return name === 'id' ? id : '1'
  })
  const query = parameters.filter((one) => one.in === 'query')
    .flatMap(({ name }, i) => (n + i) % 2 ? [`${name}=${pick(QUERIES, n + 7 * i)}`] : [])
  // One field alone is what a patch changes; with several wrong ones nothing gets past the first check.
  const some = n % 2 ? [pick(fields, Math.floor(n / 2))] : fields.filter((_name, i) => (n + i) % 3)
  const whole = n % 11 ? Object.fromEntries(some.map((name, i) => [name, pick(VALUES, n + 5 * i)])) : pick(VALUES, n)
  const body = type === undefined ? undefined : JSON.stringify(whole)
  return await send(target, {
    method: method.toUpperCase(),
    path: place + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: { ...headers, ...(body !== undefined && { 'content-type': n % 13 ? 'application/json' : type! }) },
    from,
    // Streams have no end.
    cutAfter: 1500,
    ...(body !== undefined && { body })
  })
}

const asKey = ({ freeKey }: Target) => ({ authorization: `Api-Key ${freeKey}` })

/** What the last visitors have said, each with a word that nobody else may read. */
const SAID: Array<Visitor & { word: string, message: string }> = []
const KEPT = 50

/** A word of one visitor in an answer to another: as an error of the server, so that it is told of. */
const told = (answer: Answer, word: string): Answer =>
  answer.text.includes(word) ? { status: 599, text: `${word} was told to somebody else: ${answer.text}` } : answer

async function reachFor (target: Target, one: Visitor, other: typeof SAID[number]): Promise<Answer[]> {
  const theirs = `/v1/widget/conversations/${other.conversation}`
  const headers = headersOf(target, one.token)
  const asked: Array<[method: string, path: string, body?: object, more?: Record<string, string>]> = [
    ['GET', theirs], ['GET', `${theirs}/messages`], ['GET', `${theirs}/messages/${other.message}`], ['GET', `${theirs}/events`, undefined, { 'last-event-id': '0' }],
    ['POST', `${theirs}/messages`, { text: 'I am somebody else' }], ['PUT', `${theirs}/messages/${other.message}/feedback`, { score: 1 }],
    ['POST', `${theirs}/messages/${other.message}/stop`, {}], ['POST', `${theirs}/handoff`, {}], ['PUT', `${theirs}/seen`, { seq: 1 }],
    ['GET', '/v1/widget/conversations'],
    ['POST', `/v1/widget/conversations/${one.conversation}/messages`, { text: 'Again?' }, { 'idempotency-key': other.word }],
    ['GET', `/v1/widget/conversations/${one.conversation}/messages/${other.message}`], ['POST', `${theirs}/calls`, {}], ['GET', `${theirs}/calls`]
  ]
  return (await Promise.all(asked.map(async ([method, at, body, more = {}]) => await send(target, {
    method,
    path: at,
    headers: { ...headers, ...more },
    from: one.from,
    cutAfter: 3000,
    ...(body && { body: JSON.stringify(body) })
  })))).map((answer) => told(answer, other.word))
}

/** By name. */
export const ROUTED: Record<string, Attack> = {
  'every route, oddly, with a key': async (target, _visitor, n) => await Promise.all([0, 1, 2, 3].map(async (i) =>
    await odd(target, pick(ROUTES, 4 * n + i), n + Math.floor(4 * n / ROUTES.length), asKey(target), '127.0.0.1'))),
  'every route, oddly, as a visitor': async (target, visitor, n) => await Promise.all([0, 1, 2, 3].map(async (i) => {
    const route = pick(ROUTES.filter(({ at }) => at.includes('widget') || n % 5 === 0), 4 * n + i)
    const at = route.at.replace('/conversations/{id}', `/conversations/${visitor.conversation}`)
    return await odd(target, { ...route, at }, n, headersOf(target, visitor.token), visitor.from)
  })),
  'what another visitor has said': async (target, visitor, n) => {
    const word = `zq${randomBytes(9).toString('hex')}`
    const made = await send(target, {
      method: 'POST',
      path: `/v1/widget/conversations/${visitor.conversation}/messages`,
      headers: { ...headersOf(target, visitor.token), 'idempotency-key': word },
      from: visitor.from,
      body: JSON.stringify({ text: `How long can I return ${word}?` })
    })
    const message = /msg_[\w-]+/.exec(made.text)?.[0] ?? 'msg_1'
    const others = SAID.filter(({ conversation }) => conversation !== visitor.conversation)
    SAID.push({ ...visitor, word, message })
    if (SAID.length > KEPT) SAID.shift()
    return [made, ...others.length > 0 ? await reachFor(target, visitor, pick(others, n)) : []]
  },
  'bodies that are packed': async (target, visitor, n) => await Promise.all([
    ['gzip', gzipSync('{"text":"' + ' '.repeat(10_000_000) + '"}')], ['br', randomBytes(1000)], ['gzip, gzip', randomBytes(n % 500)],
    ['identity', Buffer.from('{"text":"a"}', 'utf16le')], ['x'.repeat(n % 500), Buffer.from('{}')]
  ].map(async ([encoding, body]) => await send(target, {
    method: 'POST',
    path: `/v1/widget/conversations/${visitor.conversation}/messages`,
    headers: { ...headersOf(target, visitor.token), 'content-encoding': encoding as string },
    from: visitor.from,
    body: body as Buffer
  }))),
  'methods that nobody asks': async (target, visitor, n) => await Promise.all(
    ['TRACE', 'PROPFIND', 'OPTIONS', 'HEAD', 'PURGE', 'M-SEARCH', 'DELETE'].map(async (method) => await send(target, {
      method,
      path: pick(['/', '/v1/agents', `/v1/widget/conversations/${visitor.conversation}/messages`, '/widget.js', '/console/'], n),
      headers: {
        ...headersOf(target, visitor.token),
        'access-control-request-method': pick(['\tx', 'GET', 'a'.repeat(5000)], n).trim(),
        upgrade: pick(['websocket', 'h2c'], n),
        range: pick(['bytes=0-', 'bytes=-1', 'bytes=9-1', `bytes=${'0-1,'.repeat(500)}`], n)
      },
      from: visitor.from,
      cutAfter: 3000
    })))
}
