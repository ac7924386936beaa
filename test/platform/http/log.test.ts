import { randomBytes } from 'node:crypto'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import t, { type Test } from 'tap'
import { SECRETS } from '../../../src/access/index.ts'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { logOptions, shownError, withoutSecrets, type Level } from '../../../src/platform/http/log.ts'
import { openFileStores } from '../../../src/stores.ts'
import { fixedClock } from '../../helper.ts'

/** The production app at a log level, and the lines it has written. */
async function logging (t: Test, level: Level) {
  const lines: string[] = []
  const clock = fixedClock()
  const stores = await openFileStores({ directory: t.testdir({}), clock })
  const app = await buildApp({
    config: readConfig({ AGENTHALL_AUTH_FAILURES: '0' }),
    stores,
    clock,
    logger: logOptions(level, { secrets: SECRETS, stream: { write: (line) => lines.push(line) } })
  })
  t.teardown(async () => {
    await app.close()
    await stores.close()
  })
  const { key } = await stores.access.createUser({ name: 'Somebody', tier: 'enterprise' })
  return { app, stores, lines, key, entries: () => lines.map((line) => JSON.parse(line)) }
}

t.test('at level debug a request is one line: route, status, time and user', async (t) => {
  const { app, key, entries } = await logging(t, 'debug')
  const { headers } = await app.inject({
    url: '/api/v1/agents/?search=private', headers: { authorization: `Api-Key ${key}` }
  })
  await app.inject('/v1/no/such/private/thing')
  t.equal(entries().length, 2)
  t.match(entries()[0], {
    level: 'debug',
    reqId: headers['x-request-id'],
    method: 'GET',
    route: '/v1/agents',
    status: 200,
    ms: Number,
    user: 1,
    time: /^\d{4}-.*Z$/
  })
  t.match(entries()[1], { route: 'unknown', status: 404 })
  t.notMatch(JSON.stringify(entries()), 'private')
})

t.test('at level info requests are not logged', async (t) => {
  const { app, lines } = await logging(t, 'info')
  await app.inject('/v1/agents')
  t.strictSame(lines, [])
})

// Was wrong with Fastify's own request lines, and with an error serialiser that copies the fields of the error.
t.test(
  'a hundred keys in headers, addresses and bodies: none is in the log, whatever happens to their requests',
  async (t) => {
    const { app, stores, key, lines } = await logging(t, 'trace')
    const planted = Array.from({ length: 100 }, (_one, i) =>
      i % 2 ? `agh_${randomBytes(24).toString('hex')}` : randomBytes(24).toString('hex')
    )
    const ask = async (one: string, i: number) => {
      const authorization = [`Api-Key ${key}`, `Api-Key ${one}`, `Bearer ${one}`, one][i % 4]!
      const headers = {
        authorization,
        cookie: `key=${one}`,
        'x-api-key': one,
        'idempotency-key': one,
        'content-type': i % 7 ? 'application/json' : one
      }
      await app.inject({ method: 'GET', url: `/v1/agents/?search=${one}&key=${one}`, headers })
      await app.inject({ method: 'GET', url: `/v1/${one}/${one}`, headers })
      await app.inject({
        method: 'POST',
        url: '/v1/agents',
        headers,
        payload: JSON.stringify({ name: one, systemPrompt: one, [one]: one })
      })
      await app.inject({ method: 'POST', url: '/v1/agents', headers, payload: `{"name": ${one}` })
      await app.inject({
        method: 'POST', url: '/v1/agents', headers, payload: JSON.stringify({ name: one, systemPrompt: one })
      })
    }
    for (const [i, one] of planted.slice(0, 50).entries()) await ask(one, i)
    // From here on every request for agents fails in the database.
    await stores.db.atomically(function * () {
      stores.db.raw.exec('alter table agents rename to gone')
    })
    for (const [i, one] of planted.slice(50).entries()) await ask(one, i)

    t.ok(lines.length > 500, `${lines.length} lines`)
    t.ok(
      lines.some((line) => line.includes('a request failed')), 'faults are logged'
    )
    const log = lines.join('')
    t.strictSame(
      [...planted, key].filter((one) => log.includes(one)), []
    )
  }
)

t.test('of an error only what it is and where it happened is logged', async (t) => {
  const cause = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR', sql: 'private' })
  const error = Object.assign(new DrizzleQueryError('insert into agents', ['private prompt'], cause), {
    body: 'private'
  })
  const shown = shownError(error)
  t.match(shown, {
    type: 'Error',
    message: 'Failed query: insert into agents',
    stack: /^at .*log\.test/,
    cause: { code: 'SQLITE_IOERR', message: 'disk I/O error' }
  })
  t.notMatch(JSON.stringify(shown), 'private')
  t.notMatch(JSON.stringify(shownError('private')), 'private')
})

t.test('whatever still looks like a key is taken out of a line', async (t) => {
  t.equal(withoutSecrets('{"a":"agh_0123456789abc","b":"Authorization: Api-Key xyz.-1","c":"bearer t0ken"}', SECRETS),
    '{"a":"agh_[hidden]","b":"Authorization: Api-Key [hidden]","c":"bearer [hidden]"}')
})
