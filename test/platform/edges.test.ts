import { existsSync } from 'node:fs'
import t from 'tap'
import { Type } from '@sinclair/typebox'
import { asset, assetsIn, nativeBinding } from '../../src/platform/process/assets.ts'
import { systemClock, timestamp } from '../../src/platform/clock.ts'
import { Refusal, REFUSALS, type RefusalCode } from '../../src/platform/errors.ts'
import { openapiText } from '../../src/platform/http/openapi.ts'
import { users as accounts } from '../../schema/sqlite/access.ts'
import { revisionsOf } from '../../src/platform/storage/sqlite/revisions.ts'
import { compileValidator, nearest } from '../../src/platform/http/validation.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { nullable, oneOf, text } from '../../schema/common.ts'
import { build } from '../helper.ts'

t.test('every code of a refusal has the status that the interface gives it', async (t) => {
  t.strictSame(REFUSALS, {
    VALIDATION_ERROR: 400,
    malformed_json: 400,
    authentication_required: 401,
    permission_denied: 403,
    feature_unavailable: 403,
    kept_in_code: 403,
    not_found: 404,
    method_not_allowed: 405,
    gone: 410,
    conflict: 409,
    action_off: 409,
    agent_inactive: 409,
    already_member: 409,
    already_registered: 409,
    already_sent: 409,
    assistant_unknown: 409,
    call_changed: 409,
    call_settled: 409,
    consent_missing: 409,
    conversation_closed: 409,
    details_missing: 409,
    feed_paused: 409,
    folder_cycle: 409,
    handoff_not_set_up: 409,
    in_progress: 409,
    in_use: 409,
    last_owner: 409,
    limit_reached: 409,
    mail_not_set_up: 409,
    not_an_answer: 409,
    not_last_answer: 409,
    not_asked: 409,
    not_planned: 409,
    not_taken_over: 409,
    not_verified: 409,
    not_waiting: 409,
    nothing_asked: 409,
    nothing_to_publish: 409,
    nothing_to_remove: 409,
    notice_changed: 409,
    provider_removed: 409,
    questions_failed: 409,
    questions_running: 409,
    recipient_unknown: 409,
    root_folder: 409,
    taken: 409,
    taken_over: 409,
    precondition_failed: 412,
    payload_too_large: 413,
    training_limit_exceeded: 413,
    storage_limit_exceeded: 413,
    unsupported_media_type: 415,
    range_not_satisfiable: 416,
    expectation_failed: 417,
    idempotency_mismatch: 422,
    rule_acts_on_most: 422,
    rule_tests_failed: 422,
    rate_limited: 429,
    internal_error: 500,
    unavailable: 503,
    storage_full: 507
  })
})

t.test(
  'a fault of ours is a 500 without a word about it, and the log has the rest under the id that was shown',
  async (t) => {
    const lines: string[] = []
    const { stores, clock, user } = await build(t)
    const { key } = await user()
    const app = await buildApp({
      config: readConfig({}),
      stores,
      clock,
      logger: {
        level: 'info',
        stream: {
          write: (line: string) => {
            lines.push(line)
          }
        }
      } as never
    })
    t.teardown(() => app.close())
    const faults: unknown[] = [
      new Error('SQLITE secret at /home/x'),
      'a text',
      Object.assign(new Error('teapot secret'), { statusCode: 418 }),
      Object.assign(new Error('odd'), { statusCode: 599 })
    ]
    const get = stores.agents.get
    const answers = []
    for (const fault of faults) {
      stores.agents.get = async () => {
        throw fault
      }
      answers.push(await app.inject({ url: '/v1/agents/1', headers: { authorization: `Api-Key ${key}` } }))
    }
    stores.agents.get = get
    t.strictSame(
      answers.map(({ statusCode }) => statusCode), [500, 500, 400, 500]
    )
    for (const { body, statusCode } of answers) {
      t.notMatch(body, /secret|odd|stack|\/home/)
      t.equal(JSON.parse(body).error.code, statusCode === 400 ? 'malformed_json' : 'internal_error')
    }
    const [logged] = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a request failed')
    t.match(logged, {
      reqId: answers[0]!.headers['x-request-id'],
      err: { message: 'SQLITE secret at /home/x' },
      route: '/v1/agents/:id'
    })
    t.notMatch(lines.join(), key!.slice(12))
  }
)

t.test('a refusal of the store reaches the caller with its code, its facts and its headers', async (t) => {
  const { stores, user } = await build(t)
  const as = await user()
  for (const code of ['storage_full', 'unavailable', 'gone', 'training_limit_exceeded'] as RefusalCode[]) {
    stores.agents.get = async () => {
      throw new Refusal(code, 'Say it.', { fields: { a: 1 }, headers: { 'retry-after': '5' } })
    }
    const answer = await as.get('/v1/agents/1')
    t.strictSame(
      [answer.json(), answer.headers['retry-after']],
      [{ error: { code, message: 'Say it.', status: REFUSALS[code], fields: { a: 1 } } }, '5']
    )
  }
})

t.test('healthz lives as long as the process, readyz says when requests are not wanted', async (t) => {
  const { stores, clock } = await build(t)
  const stopping = new AbortController()
  const app = await buildApp({ config: readConfig({}), stores, clock, stopping: stopping.signal })
  t.teardown(() => app.close())
  t.notOk(app.hasDecorator('swagger'), 'it collects no document')
  for (const url of ['/healthz', '/readyz']) t.strictSame((await app.inject(url)).json(), { status: 'ok' })
  stores.db.failure = () => new Refusal('unavailable', 'The disk failed.')
  t.match((await app.inject('/readyz')).json(), { error: { code: 'unavailable', message: 'The disk failed.' } })
  stores.db.failure = () => undefined
  stopping.abort()
  t.equal((await app.inject('/healthz')).statusCode, 200)
  const refused = await app.inject('/readyz')
  t.match([refused.statusCode, refused.json().error.code, refused.headers['retry-after']], [503, 'unavailable', '5'])
})

t.test('the docs page and all that it loads come from here, under a policy that allows nothing else', async (t) => {
  const { app } = await build(t)
  const page = await app.inject('/docs')
  t.match(page.headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': /^default-src 'none'/,
    'x-content-type-options': 'nosniff'
  })
  const loads = [...page.body.matchAll(/(?:script src|stylesheet" href)="(\/[^"]+)"/g)].map(([, url]) => url!)
  t.equal(loads.length, 4)
  for (const url of loads) {
    const file = await app.inject(url)
    t.equal(file.statusCode, 200)
    t.match(file.headers['content-type'], url.endsWith('.css') ? 'text/css' : 'text/javascript')
  }
  t.notMatch(page.body.replaceAll('https://chat.example.com', ''), /https?:/)
  const document = await app.inject('/openapi.json')
  t.strictSame([document.body, document.headers['content-type']], [openapiText(app), 'application/json; charset=utf-8'])
  t.equal((await app.inject('/openapi.json')).body, document.body)
})

t.test('two shapes under one title stop the API document', async (t) => {
  const { stores, clock } = await build(t)
  const app = await buildApp({ config: readConfig({}), stores, clock, isDescribed: true })
  t.teardown(() => app.close())
  app.get(
    '/twice',
    {
      schema: { response: { 200: Type.Object({ other: Type.String() }, { title: 'Agent' }) } },
      config: { permit: 'anyone' }
    },
    async () => ({ other: 'x' })
  )
  await app.ready()
  t.throws(() => openapiText(app), /Two different schemas are titled Agent\./)
})

t.test(
  'time has microseconds and stands still, a microsecond a call, while the wall clock goes backwards',
  async (t) => {
    const now = Date.now
    t.teardown(() => {
      Date.now = now
    })
    const clock = systemClock()
    const before = clock.micros()
    Date.now = () => now() - 3_600_000
    t.equal(clock.micros(), before + 1)
    t.equal(clock.micros(), before + 2)
    Date.now = now
    const later = clock.micros()
    t.ok(later > before + 2 && Math.abs(later / 1000 - now()) < 1000)
    const monotonic = clock.monotonic()
    t.ok(clock.monotonic() >= monotonic)
    t.equal(timestamp(1_700_000_000_000_001), '2023-11-14T22:13:20.000001Z')
    t.equal(timestamp(1_700_000_000_999_999), '2023-11-14T22:13:20.999999Z')
  }
)

t.test('the program finds its own files', async (t) => {
  t.match(asset('package.json').toString(), '"name": "agenthall"')
  t.ok(asset('node_modules/fastify/package.json').length > 100)
  t.throws(() => asset('node_modules/not-there/x.js'), /not-there/)
  t.ok(assetsIn('schema/sqlite/migrations').every((file) => existsSync(file)))
  t.strictSame(nativeBinding(), {})
})

t.test('every rule of a schema has a sentence', async (t) => {
  const sentences = (schema: object, value: unknown) => {
    const result = (
      compileValidator({ schema: { type: 'object', properties: { a: schema } }, httpPart: 'body' } as never) as (
        value: unknown
      ) => { error?: Refusal }
    )({ a: value })
    return result.error?.details.map(({ message }) => message).join(' ')
  }
  t.equal(sentences({ const: 1 }, 2), 'a must be 1.')
  t.equal(sentences({ type: 'string', minLength: 2 }, 'x'), 'a must have at least 2 characters.')
  t.equal(sentences({ type: 'array', minItems: 1 }, []), 'a must have at least 1 item.')
  t.equal(sentences({ type: 'array', minItems: 2 }, []), 'a must have at least 2 items.')
  t.equal(sentences({ type: ['string', 'null', 'number'] }, []), 'a must be a string, null or a number.')
  t.equal(sentences({ type: 'string', pattern: '^x$' }, 'y'), 'a does not have the expected form.')
  t.equal(sentences({ not: {} }, 1), 'a is not valid.')
  t.equal(sentences({ type: 'string', pattern: '^x$', description: 'only x' }, '{{y}}'), 'a is not acceptable: only x.')
  t.equal(sentences({ anyOf: [{ type: 'string' }, { type: 'number' }] }, true), 'a must be a string.')
  t.equal(sentences({ type: 'integer' }, 1), undefined)
  t.equal(sentences({ type: 'object', additionalProperties: false }, { b: 1 }), 'a.b is not a known field.')
  t.strictSame(
    [nearest('nmae', ['name', 'other']), nearest('zzzzzz', ['name']), nearest('x', [])],
    ['; did you mean "name"?', '', '']
  )
  const shapeless = compileValidator({ schema: { type: 'object', maxProperties: 0 }, httpPart: 'body' } as never) as (
    value: unknown
  ) => { error?: Refusal }
  t.match(shapeless({ a: 1 }).error!.details, [{ field: 'body', message: 'body is not valid.' }])
  const query = compileValidator({
    schema: { type: 'object', properties: { flag: { type: 'boolean' } } }, httpPart: 'querystring'
  } as never) as (value: unknown) => { value?: object, error?: Refusal }
  t.strictSame(query({ flag: 'true' }).value, { flag: true })
  t.strictSame(query({ flag: 'false' }).value, { flag: false })
  t.match(query({ flag: '1' }).error!.details, [{ message: 'flag must be true or false.' }])
})

t.test('what is remembered of users is forgotten when there are too many, and still right', async (t) => {
  const { stores: { db, agents, neighbours }, user } = await build(t)
  const users = [await user(), await user(), await user()]
  const revisions = revisionsOf(db, accounts, neighbours, 2)
  for (const { id } of [...users, ...users]) t.equal(await revisions.of(id), await agents.revision(id))
  t.equal(await revisions.of(0), undefined)
})

t.test('a field that can be one of several or null says both', async (t) => {
  t.match(nullable(oneOf(['a', 'b'])), { type: ['string', 'null'], enum: ['a', 'b', null] })
  t.match(nullable(text(5)), { type: ['string', 'null'], maxLength: 5 })
})
