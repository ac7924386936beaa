import { text as textOf } from 'node:stream/consumers'
import t from 'tap'
import { build } from '../helper.ts'
import { agentOf } from '../sources/parts.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const OURS = 'http://localhost'
const [READS, ALL, NONE] = [['GET', 'HEAD'], METHODS, []] as const

/** Where a request with the cookie comes from, and the methods that the cookie then allows. */
const MATRIX: Array<[from: string, headers: Record<string, string>, opens: readonly string[]]> = [
  ['no site (typed into the address bar)', { 'sec-fetch-site': 'none' }, NONE],
  ['our own page', { 'sec-fetch-site': 'same-origin', origin: OURS }, ALL],
  ['our own page, without an Origin', { 'sec-fetch-site': 'same-origin' }, ALL],
  ['another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' }, NONE],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, NONE],
  ['another site that claims our Origin', { 'sec-fetch-site': 'cross-site', origin: OURS }, NONE],
  ['a browser that does not say, our Origin', { origin: OURS }, ALL],
  ['a browser that does not say, another Origin', { origin: 'https://evil.example' }, NONE],
  ['a browser that does not say, our host under https', { origin: 'https://localhost' }, NONE],
  ['a browser that does not say, our host on another port', { origin: 'http://localhost:81' }, NONE],
  ['a browser that does not say, a host that begins like ours', { origin: 'http://localhost.evil.example' }, NONE],
  ['a browser that does not say, from a sandboxed page', { origin: 'null' }, NONE],
  ['a browser that does not say, without an Origin', {}, READS]
]

t.test('a cookie opens what pages of ours ask for, and nothing that another site asks for', async (t) => {
  const { user, withSession, sending } = await build(t)
  const { cookie } = await withSession((await user()).id)
  for (const [from, headers, opens] of MATRIX) {
    const seen: string[] = []
    for (const method of METHODS) {
      // As there is no agent 1, callers that are let in get a 404.
      const url = method === 'POST' ? '/v1/agents' : '/v1/agents/1'
      const { statusCode } = await sending({ cookie, ...headers })[method.toLowerCase() as 'get'](
        url, method === 'PUT' ? {} : undefined
      )
      if (method === 'PATCH') {
        t.equal(
          (await sending({ cookie, ...headers }).patch('/v1/me', { name: 'Ada' })).statusCode === 200,
          opens.includes('PATCH'),
          from
        )
        if (opens.includes('PATCH')) seen.push('PATCH')
      } else if (statusCode !== 401) seen.push(method)
    }
    t.strictSame(seen, [...opens], from)
    const key = await user()
    t.equal((await key.get('/v1/me', undefined, headers)).statusCode, 200, `a key works from anywhere: ${from}`)
  }
})

t.test('no route that a cookie opens answers other sites\' preflights', async (t) => {
  const { app } = await build(t)
  for (const url of ['/v1/session', '/v1/me', '/v1/agents', '/v1/links/use']) {
    const answer = await app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    })
    t.strictSame([answer.statusCode, answer.headers['access-control-allow-origin']], [405, undefined], url)
  }
})

t.test('an open stream ends after its session is ended, by whomever', async (t) => {
  const built = await build(t)
  const address = await built.app.listen({ port: 0, host: '127.0.0.1' })
  const as = await built.user()
  const { at } = await agentOf(as)
  const [session, other] = [await built.withSession(as.id), await built.withSession(as.id)]
  const open = async ({ cookie }: { cookie: string }) => {
    const answer = await fetch(`${address}${at}/events`, { headers: { cookie } })
    t.equal(answer.status, 200)
    return answer
  }
  const [watched, stays] = [await open(session), await open(other)]
  let isOver = false
  const rest = textOf(stays.body as never).then(() => { isOver = true }, () => {})
  await other.delete(`/v1/me/sessions/${session.session}`)
  await textOf(watched.body as never)
  t.equal((await session.get('/v1/me')).statusCode, 401)
  t.notOk(isOver, 'that of another session goes on')
  await built.stores.signIn.end(as.id, other.session)
  await rest
})
