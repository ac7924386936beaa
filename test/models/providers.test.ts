import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { limitsFor } from '../../src/models/providers/http.ts'
import { connectModels, jsonIn, type Model } from '../../src/models/index.ts'
import type { Offer } from '../../src/models/index.ts'
import { question, startProvider, told } from './provider.ts'

const ACTIONS = { names: ['handoff', 'ticket'], reasons: ['asked', 'angry'] }
const WELL = 'Returns are free [1]. \u{1F600}'

/** Models over the real egress, calling a provider in its own process. */
async function models (
  t: Test,
  {
    limits = { firstByteMs: 10_000, silenceMs: 10_000, totalMs: 30_000 }, ...more
  }: Partial<Parameters<typeof connectModels>[0]> = {}
) {
  const provider = await startProvider(t)
  const offer: Offer = {
    match: '*', provider: provider.provider(), isPremium: false, price: null, context: null, fallback: null
  }
  const failures: string[] = []
  const opened = connectModels({
    offers: () => [offer],
    providers: { offers: async () => [] },
    now: () => performance.now(),
    userAgent: 'Agenthall/0.0.0',
    limits,
    times: { retryMs: 1 },
    onFailure: ({ code, detail }) => failures.push(`${code} ${detail}`),
    ...more
  })
  t.teardown(() => opened.close())
  const ask = (
    asked: readonly Model[], more: Parameters<typeof question>[1] = {}, signal = new AbortController().signal
  ) => told(opened.answer(question(asked, more), signal))
  return { ...provider, ...opened, failures, ask }
}

t.test('every byte that a provider is sent', async (t) => {
  const { ask, asked, model } = await models(t)
  const conversation = {
    system: 'You help.\n<source n=1>…</source>',
    messages: [
      { role: 'user' as const, text: 'Hello' },
      { role: 'assistant' as const, text: 'Hi' },
      { role: 'user' as const, text: 'Are returns free? ü \u{1F600}' }
    ]
  }
  for (const kind of ['openai', 'anthropic'] as const) {
    await ask([model('well', kind)], conversation)
    await ask([model('well', kind)], { ...conversation, actions: ACTIONS, isJson: kind === 'openai' })
  }
  const sent = (await asked()).map(({ body, ...request }) => ({ ...request, body: JSON.parse(body) }))
  t.equal(
    JSON.stringify(sent, null, 2) + '\n',
    readFileSync(path.join(import.meta.dirname, '../fixtures/sent/providers.json'), 'utf8')
  )
})

t.test('each question goes out with the key of whoever asks, also to the same model at the same address', async (t) => {
  const { ask, asked, model, provider } = await models(t)
  const keys = ['first', 'second', 'first']
  for (const kind of ['openai', 'anthropic'] as const) {
    for (const key of keys) {
      t.equal((await ask([{ ...model('well', kind), provider: provider(kind, { key: () => key }) }])).error, undefined)
    }
  }
  const sent = (await asked()).map(({ headers }) => headers['authorization'] ?? headers['x-api-key'])
  t.strictSame(sent, [...keys.map((key) => `Bearer ${key}`), ...keys])
})

t.test('both protocols give the text, what it took, and the end', async (t) => {
  const { ask, model } = await models(t)
  const price = { input: 2, output: 10, cached: 1 }
  for (const kind of ['openai', 'anthropic'] as const) {
    const { text, usage, end, error } = await ask([model('well', kind, { price })])
    t.equal(error, undefined, kind)
    t.equal(text, WELL)
    t.same(usage, { input_tokens: 1000, output_tokens: 50, cached_tokens: 200, cost: (800 * 2 + 200 + 50 * 10) / 1e6 })
    t.same(end, { type: 'end', model: 'well', provider: kind, reason: 'finished' })
    t.match((await ask([model('cut', kind)])).end, { reason: 'length' })
    t.match((await ask([model('filtered', kind)])).end, { reason: 'filtered' })
  }
})

t.test('what is wrong with servers of the wild is put up with', async (t) => {
  const { ask, model } = await models(t)
  for (const name of ['tool', 'tool-stop', 'tool-no-id', 'tool-no-index', 'tool-object']) {
    const { text, actions, end, error } = await ask([model(name)], { actions: ACTIONS })
    t.same(
      { text, actions, end: end?.type, error },
      { text: 'One moment. ', actions: ['handoff asked'], end: 'end', error: undefined },
      name
    )
  }
  for (const name of ['tool-nonsense', 'tool-other', 'tool-cut']) {
    t.match(
      await ask([model(name)], { actions: ACTIONS }), { text: 'One moment. ', actions: [], error: undefined }, name
    )
  }
  t.match(await ask([model('thinking')]), { text: 'Yes.', error: undefined }, 'thoughts are no answer')
  t.match(await ask([model('only-thinking')]), { text: '', error: undefined })
  // Was wrong: an answer whose counts were words failed.
  for (const name of ['no-usage', 'impossible-usage', 'wordy-usage']) {
    t.match(
      await ask([model(name, 'openai', { price: { input: 1, output: 1, cached: 1 } })]),
      { text: 'Yes.', usage: { input_tokens: 9, output_tokens: 2, cached_tokens: 0, cost: 11e-6 } },
      `estimated where nothing is said, or what cannot be: ${name}`
    )
  }
  t.same(jsonIn((await ask([model('fenced-json')], { isJson: true })).text), { query: 'returns' }, 'JSON in a fence')
  t.same(
    [jsonIn('none'), jsonIn('{broken}'), jsonIn('} {'), jsonIn('x {"a": {"b": 1}} y')],
    [undefined, undefined, undefined, { a: { b: 1 } }]
  )
  const { text, error } = await ask([model('burst')])
  t.equal(error, undefined)
  t.equal(text.split(' ').length, 5001, 'a burst of thousands of words')
})

const TRACK = {
  name: 'track_order',
  description: 'Looks up an order.',
  parameters: {
    type: 'object' as const, properties: { number: { type: 'string' } }, required: ['number'], additionalProperties: false
  }
}

t.test('both protocols offer tools with their schemas, and tell which was chosen, with what', async (t) => {
  const { ask, asked, model } = await models(t)
  for (const kind of ['openai', 'anthropic'] as const) {
    const { parts, error } = await ask([model(`${kind}-tool`, kind)], { tools: [TRACK] })
    t.equal(error, undefined, kind)
    t.same(parts.filter(({ type }) => type === 'call'), [{ type: 'call', name: 'track_order', given: { number: '1001' } }])
    const [sent] = await asked()
    t.match(JSON.parse(sent!.body).tools, kind === 'openai'
      ? [{ type: 'function', function: TRACK }]
      : [{ name: 'track_order', description: TRACK.description, input_schema: TRACK.parameters }])
    const none = await ask([model(`${kind}-tool`, kind)], { actions: ACTIONS })
    t.same(none.parts.filter(({ type }) => type === 'call'), [], 'what was not offered is not chosen')
    await asked()
  }
})

t.test('a model that knows no tools says so, instead of answering as if there were none', async (t) => {
  const { ask, asked, model } = await models(t)
  for (let i = 0; i < 2; i++) {
    t.match(await ask([model('no-tools')], { tools: [TRACK] }), { error: { code: 'model_without_tools' } })
  }
  t.equal((await asked()).length, 1, 'asked once, and remembered')
  t.match(await ask([model('no-tools')], { actions: ACTIONS }), { text: WELL })
})

t.test('what a model does not take is left out from then on', async (t) => {
  const { ask, asked, model } = await models(t)
  t.match(await ask([model('no-tools')], { actions: ACTIONS }), { text: WELL })
  t.match(await ask([model('no-tools')], { actions: ACTIONS }), { text: WELL })
  t.same(
    (await asked()).map(({ body }) => 'tools' in JSON.parse(body)), [true, false, false], 'asked once, and remembered'
  )
  t.match(await ask([model('picky')]), { text: WELL })
  t.match(await ask([model('picky')]), { text: WELL })
  const bodies = (await asked()).map(({ body }) => JSON.parse(body))
  t.same(
    bodies.map(({ temperature, max_tokens: most, max_completion_tokens: completion }) => ({
      temperature, most, completion
    })),
    [
      { temperature: 0.7, most: 256, completion: undefined },
      { temperature: 0.7, most: undefined, completion: 256 },
      { temperature: undefined, most: undefined, completion: 256 },
      { temperature: undefined, most: undefined, completion: 256 }
    ]
  )
})

t.test('a server that refuses stream_options is asked again without', async (t) => {
  const { ask, asked, model } = await models(t)
  t.match(await ask([model('no-stream-options')]), { text: WELL })
  t.match(await ask([model('no-stream-options')]), { text: WELL })
  t.strictSame((await asked()).map(({ body }) => 'stream_options' in JSON.parse(body)), [true, false, false])
})

t.test('each failure has a code, and none shows what the provider said', async (t) => {
  const { ask, asked, model, failures } = await models(t)
  const expected: Record<string, [code: string, tries: number]> = {
    429: ['model_rate_limited', 3],
    'busy-long': ['model_rate_limited', 1],
    401: ['model_key_refused', 1],
    404: ['model_not_found', 1],
    400: ['model_request_refused', 1],
    'too-long': ['prompt_too_long', 1],
    'large-headers': ['model_broken', 1],
    redirect: ['model_broken', 3]
  }
  for (const [name, [code, tries]] of Object.entries(expected)) {
    for (const kind of name === 'redirect' ? ['openai'] as const : ['openai', 'anthropic'] as const) {
      // A separate provider, so that none is paused because of another.
      const { error } = await ask([
        { ...model(name, kind), provider: { ...model(name, kind).provider, id: `${kind} ${name}` } }
      ])
      t.equal(error?.code, code, `${kind} ${name}`)
      t.notMatch(error?.message, /SECRET|127\.0\.0\.1/)
      t.equal((await asked()).length, tries, `${name}: ${tries} tries`)
    }
  }
  t.ok(failures.some((failure) => /SECRET/.test(failure)), 'the log has it')
})

t.test(
  'a server that is down, slow or talks nonsense is tried three times before the first word, but for a slow one, and never after it',
  async (t) => {
    const patient = await models(t)
    const hasty = await models(t, { limits: { firstByteMs: 300, silenceMs: 300, totalMs: 30_000 } })
    const listening = await models(t, { limits: { firstByteMs: 10_000, silenceMs: 300, totalMs: 30_000 } })
    const those: Record<string, typeof patient> = { hang: hasty, headers: hasty, stall: listening }
    async function tried (...names: string[]) {
      const { ask, asked, model } = those[names[0]!] ?? patient
      const own = names.map((name) => ({ ...model(name), provider: { ...model(name).provider, id: name } }))
      return { ...(await ask(own)), tries: (await asked()).length }
    }
    const before: Record<string, string> = {
      500: 'model_unavailable',
      reset: 'model_unavailable',
      hang: 'model_timeout',
      headers: 'model_timeout',
      page: 'model_broken',
      'broken-at-once': 'model_broken',
      'tool-object-cut': 'model_broken'
    }
    for (const [name, code] of Object.entries(before)) {
      // A caller that has waited for a first byte in vain does not wait for the same model again.
      const tries = code === 'model_timeout' ? 1 : 3
      t.match(await tried(name), { text: '', error: { code }, tries }, `${name} is tried ${tries} times`)
    }
    const after: Record<string, string> = {
      stall: 'model_timeout',
      severed: 'model_unavailable',
      unfinished: 'model_broken',
      'ends-oddly': 'model_broken',
      broken: 'model_broken',
      'error-inside': 'model_broken'
    }
    for (const [name, code] of Object.entries(after)) {
      const { text, error, spent, tries } = await tried(name, 'well')
      t.equal(text, 'half ', `${name}: what was said stays`)
      t.equal(error?.code, code, name)
      t.match(spent, { output_tokens: 2 }, 'and what it took is told')
      t.equal(tries, 1, `${name} is not tried again`)
    }
    t.match(await tried('busy-once'), { text: WELL })
    t.match(await tried('broken-once'), { text: WELL })
    t.match(await tried('500', '401', 'well'), { text: WELL, end: { model: 'well' } }, 'the next model answers')
  }
)

t.test('who stops an answer is told so, and its connection is closed', async (t) => {
  const { answer, model, ask } = await models(t)
  const stop = new AbortController()
  const reason = new Error('the visitor stopped it')
  const parts = answer(question([model('stall')]), stop.signal)[Symbol.asyncIterator]()
  t.match(await parts.next(), { value: { type: 'asked', model: 'stall' } })
  t.match(await parts.next(), { value: { type: 'text', text: 'half ' } })
  const next = parts.next()
  stop.abort(reason)
  await t.rejects(next, reason)
  await t.rejects(ask([model('well')], {}, stop.signal).then(({ error }) => { throw error }), reason, 'before it began')
})

t.test('an address that an account set may not be private, one that the operator set may', async (t) => {
  const { ask, asked, model, check, provider } = await models(t)
  const own = { ...model('well'), provider: provider('openai', { isOperators: false }) }
  t.match(await ask([own]), { error: { code: 'model_address_refused' } })
  t.same(await asked(), [])
  const signal = new AbortController().signal
  t.same(await check(provider(), signal), { ok: true })
  t.same(await check(provider('anthropic'), signal), { ok: true })
  t.match(await check(provider('openai', { key: () => null }), signal), { ok: false, code: 'model_key_refused' })
  t.match(await check(provider('openai', { url: 'http://127.0.0.1:1/v1', isOperators: false }), signal), {
    ok: false, code: 'model_address_refused'
  })
  await t.rejects(check(provider(), AbortSignal.abort(new Error('enough'))), { message: 'enough' })
  t.match((await asked()).at(0), {
    path: '/v1/models', headers: { authorization: 'Bearer secret-key', 'user-agent': 'Agenthall/0.0.0' }
  })
})

t.test('a model in a private network may take longer to begin than one on the public internet', async (t) => {
  const first = (url: string, isOperators = true, ms = 0) => limitsFor({ url, isOperators }, ms)
  for (const url of ['http://localhost:11434/v1', 'http://10.0.0.7/v1', 'http://[::1]:8000/v1', 'http://llm.local/v1']) {
    t.match(first(url), { firstByteMs: 120_000, totalMs: 195_000 }, url)
  }
  for (const url of ['https://api.example.com/v1', 'https://93.184.216.34/v1']) {
    t.match(first(url), { firstByteMs: 15_000, totalMs: 90_000 }, url)
  }
  t.match(first('http://10.0.0.7/v1', false), { firstByteMs: 15_000 }, 'an account has none in a private network')
  t.match(first('https://api.example.com/v1', true, 40_000), { firstByteMs: 40_000 }, 'what the operator says counts')
})
