import { mock } from 'node:test'
import t from 'tap'
import { modelClient, type ClientNeeds } from '../../src/models/client.ts'
import { ModelError, type Model, type ModelPart } from '../../src/models/index.ts'
import { question, told } from './provider.ts'
import { modelNamed, scripted, type Script } from './scripted.ts'

const DOWN = () => new ModelError('model_unavailable', { isRetryable: true })
const of = (name: string, provider = name): Model =>
  modelNamed(name, { provider: { ...modelNamed().provider, id: provider } })

/** A client of scripted models, and how to call it. */
function client (scripts: Parameters<typeof scripted>, needs: Partial<ClientNeeds> = {}) {
  const { ask, asked } = scripted(...scripts)
  const clock = { ms: 0 }
  const made = modelClient({ ask, now: () => clock.ms, times: { retryMs: 1, longestRetryMs: 50 }, ...needs })
  return {
    ...made,
    asked,
    clock,
    ask: (
      models: readonly Model[] = [of('a')],
      more: Parameters<typeof question>[1] = {},
      signal = new AbortController().signal
    ) => told(made.answer(question(models, more), signal))
  }
}

t.test('before its first piece an answer is tried three times, then the next model is asked', async (t) => {
  const { ask, asked } = client([[DOWN()], [DOWN()], ['well']])
  t.match(await ask(), { text: 'well', end: { model: 'a', provider: 'a', reason: 'finished' } })
  t.equal(asked.length, 3)

  const other = client([({ models: [first] }, model) => model === first ? [DOWN()] : ['from ', model.name]])
  t.match(await other.ask([of('a'), of('b')]), { text: 'from b', end: { model: 'b' } })
  t.same(other.asked.map(({ model }) => model.name), ['a', 'a', 'a', 'b'])

  const none = client([[new ModelError('model_key_refused')]])
  t.match(await none.ask([of('a'), of('b')]), { text: '', error: { code: 'model_key_refused' } })
  t.equal(none.asked.length, 2, 'what trying again does not mend is not tried again')
  const silent = client([
    [{ type: 'usage', usage: { input_tokens: 1, output_tokens: 0, cached_tokens: 0 } }, DOWN()], ['well']
  ])
  t.match(await silent.ask(), { text: 'well' }, 'usage alone is no answer')
  t.match(await client([]).ask([]), { error: { code: 'model_unavailable' } })
})

t.test('a provider that asks to wait is waited for, but not long', async (t) => {
  const soon = client([[new ModelError('model_rate_limited', { isRetryable: true, againInMs: 5 })], ['well']])
  t.match(await soon.ask(), { text: 'well' })
  const late = client([[new ModelError('model_rate_limited', { isRetryable: true, againInMs: 60_000 })], ['the other']])
  t.match(await late.ask([of('a'), of('b')]), { text: 'the other', end: { model: 'b' } })
})

t.test('after its first piece an answer is never tried again, and says what it took', async (t) => {
  for (const begun of ['half ', { type: 'action', action: 'handoff', reason: 'asked' } as ModelPart]) {
    const { ask, asked } = client([[begun, DOWN()] as Script])
    const { error, parts } = await ask([of('a'), of('b')])
    t.match(error, { code: 'model_unavailable' })
    const [told] = parts
    t.match(told?.type === 'asked' && told.spent(), {
      input_tokens: 9, output_tokens: begun === 'half ' ? 2 : 0, cost: null
    })
    t.equal(asked.length, 1)
  }
  const { ask } = client([['half', { type: 'text', text: '' }, new TypeError('ours')]])
  t.match(await ask(), { text: 'half', error: { message: 'ours' } }, 'a fault of ours is none of the model')
})

t.test('a provider that fails five times in 30 s is left alone for 30 s, then tried once', async (t) => {
  let isDown = true
  const { ask, asked, clock } = client([() => isDown ? [DOWN()] : ['well']])
  await ask()
  t.match(await ask(), { error: { code: 'model_unavailable' } })
  t.equal(asked.length, 5, 'in the middle of the second question')
  t.match(await ask([of('a'), of('b')]), { error: { code: 'model_unavailable' } })
  t.same(asked.slice(5).map(({ model }) => model.name), ['b', 'b', 'b'], 'the others are still asked')
  clock.ms += 30_000
  await ask()
  t.equal(asked.length, 9, 'one try after the rest')
  await ask()
  t.equal(asked.length, 9, 'and another rest')
  clock.ms += 30_000
  isDown = false
  t.match(await ask(), { text: 'well' })
  t.match(await ask(), { text: 'well' })

  const gate = Promise.withResolvers<void>()
  const resting = client([[DOWN()], [DOWN()], [DOWN()], [DOWN()], [DOWN()], [gate.promise, 'well']])
  await resting.ask()
  await resting.ask()
  resting.clock.ms += 30_000
  const probe = resting.ask()
  t.match(await resting.ask(), { error: { code: 'model_unavailable' } }, 'while one question tries, no other does')
  gate.resolve()
  t.match(await probe, { text: 'well' })
  t.equal(resting.asked.length, 6)

  const slow = client([[DOWN()]])
  for (let question = 0; question < 6; question++) {
    await slow.ask()
    slow.clock.ms += 31_000
  }
  t.equal(slow.asked.length, 18, 'failures far apart are none of this')
  const refused = client([[new ModelError('model_request_refused')]])
  for (let question = 0; question < 10; question++) await refused.ask()
  t.equal(refused.asked.length, 10, 'nor are questions that were wrong')
})

t.test('a provider is tried again although nothing came of the one try after its rest', async (t) => {
  const wrong: Script = [new ModelError('model_request_refused')]
  const silent: Script = [new Promise(() => {})]
  for (const nothing of [wrong, silent]) {
    const down = Array.from({ length: 5 }, (): Script => [DOWN()])
    const { ask, asked, clock } = client([...down, nothing, ['well']])
    await ask()
    await ask()
    clock.ms += 30_000
    const gone = new AbortController()
    const probe = ask(undefined, {}, gone.signal)
    if (nothing === silent) gone.abort(new Error('stopped'))
    t.ok((await probe).error)
    t.equal(asked.length, 6)
    clock.ms += 30_000
    t.match(await ask(), { text: 'well' })
  }
})

t.test('so many are answered at once, so many of one account, and the others wait a little', async (t) => {
  const gate = Promise.withResolvers<void>()
  const { ask, asked } = client([[gate.promise, 'well']], { load: { atOnce: 4, perHolder: 2 }, times: { waitMs: 60 } })
  const first = [1, 1, 1, 2, 2, 3].map((owner) => ask([of('a')], { owner }))
  t.match(await first[2], { error: { code: 'model_busy' } }, 'a third of one account')
  t.match(await first[5], { error: { code: 'model_busy' } }, 'a fifth of all')
  t.equal(asked.length, 4)
  gate.resolve()
  for (const index of [0, 1, 3, 4]) t.match(await first[index], { text: 'well' })
  t.match(await ask([of('a')], { owner: 1 }), { text: 'well' }, 'places are given back')
})

t.test('who stops is told its own reason, waiting or being answered; an answer has its time', async (t) => {
  const forever = new Promise(() => {})
  const reason = new Error('stopped')
  const { ask } = client([['half', forever]], { load: { atOnce: 1, perHolder: 1 } })
  const stops = [new AbortController(), new AbortController()]
  const both = stops.map(({ signal }) => ask([of('a')], {}, signal))
  for (const stop of stops.toReversed()) stop.abort(reason)
  for (const one of both) t.equal((await one).error, reason)

  const late = client([[forever]], { times: { totalMs: 20 } })
  t.match(await late.ask(), { error: { code: 'model_timeout' } })
  const mute = client([[forever]], { times: { firstWordMs: 20 } })
  t.match(await mute.ask(), { error: { code: 'model_timeout' } }, 'the first word has a time of its own')
  const slow = client([[new ModelError('model_timeout')], ['the other']])
  t.match(await slow.ask([of('a'), of('b')]), { text: 'the other', end: { model: 'b' } })
  t.equal(slow.asked.length, 2, 'who was too slow is not asked again')
  const patient = client([['early ', 'words'], ['x']], {
    times: { firstWordMs: 1 }, limitsOf: () => ({ firstByteMs: 60_000, totalMs: 60_000 })
  })
  t.match(await patient.ask(), { text: 'early words' }, 'a model that may take longer has its time')
  const waiting = client([[DOWN()]], { times: { totalMs: 20, retryMs: 5000, longestRetryMs: 60_000 } })
  t.match(await waiting.ask(), { error: { code: 'model_timeout' } }, 'also while it waits to try again')
})

t.test('the first word has 30 s, however many models are asked for it; more where one of them may take more', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  for (const [firstByteMs, seconds] of [[15_000, 30], [120_000, 120]] as const) {
    const { ask } = client([[new Promise(() => {})]], {
      times: {}, limitsOf: () => ({ firstByteMs, totalMs: 195_000 })
    })
    let answered: unknown
    const answer = ask().then((told) => { answered = told })
    mock.timers.tick(seconds * 1000 - 1)
    await new Promise(setImmediate)
    t.equal(answered, undefined)
    mock.timers.tick(1)
    await answer
    t.match(answered, { error: { code: 'model_timeout' } }, `after ${seconds} s`)
  }
})

t.test('what an answer costs, and an answer that does not end', async (t) => {
  const price = { input: 3, output: 15, cached: 0.3 }
  const priced = client([['one two three']])
  t.same((await priced.ask([modelNamed('a', { price })])).usage, {
    input_tokens: 100, output_tokens: 3, cached_tokens: 0, cost: (300 + 45) / 1e6
  })
  t.match(await priced.ask(), { usage: { cost: null } })
  const endless: ClientNeeds['ask'] = async function * () { yield { type: 'text', text: 'half' } }
  t.match(await client([], { ask: endless }).ask(), { text: 'half', error: { code: 'model_broken' } })
})

t.test('an answer far longer than it was given tokens for breaks off, however it comes', async (t) => {
  const words = 'word '.repeat(64)
  const long = client([Array.from({ length: 9 }, () => words)])
  const { text, error } = await long.ask(undefined, { answerTokens: 10 })
  t.equal(text, words.repeat(8), 'as far as 256 characters a token')
  t.match(error, { code: 'model_broken' })
  for (const [length, expected] of [[2560, { text: /^x{2560}$/, end: {} }], [2561, { text: '', error: {} }]] as const) {
    t.match(await client([['x'.repeat(length)]]).ask(undefined, { answerTokens: 10 }), expected, `${length}`)
  }
})

t.test('tokens are estimated by bytes, and nearer to the truth after each report', async (t) => {
  const { ask, tokens } = client([
    ['well'],
    [
      { type: 'usage', usage: { input_tokens: 99_999, output_tokens: 0, cached_tokens: 0 } },
      { type: 'end', reason: 'finished' }
    ]
  ])
  t.same([tokens(of('a'), ''), tokens(of('a'), 'abc'), tokens(of('a'), 'Grüße'), tokens(of('a'), '漢字')], [0, 1, 3, 2])
  const before = tokens(of('a'), 'x'.repeat(3000))
  await ask([of('a')], { system: 'x'.repeat(480) })
  t.ok(tokens(of('a'), 'x'.repeat(3000)) < before, '100 tokens for 500 bytes')
  t.equal(tokens(of('b'), 'x'.repeat(3000)), before, 'of this model alone')
  const then = tokens(of('a'), 'x'.repeat(3000))
  await ask([of('a')], { system: 'x'.repeat(480) })
  t.equal(tokens(of('a'), 'x'.repeat(3000)), then, 'what cannot be true is not believed')
})

t.test('what tells who a visitor is can be masked before a model reads it', async (t) => {
  const messages = [
    {
      role: 'user' as const,
      text: 'I am ada.l@mail.example.org, +49 30 901820 or 030/9018-2000 or (030) 90182000; card 4111 1111 1111 1111, order 4111111111111112 of 2026-11-20, 19.99 EUR, room 1234.'
    }
  ]
  const { ask, asked } = client([['well']], { isRedacting: true })
  await ask([of('a')], { messages, system: 'Write to help@shop.example.' })
  t.same(
    asked[0]!.request.wording().messages[0]!.text,
    'I am [e-mail], [phone] or [phone] or [phone]; card [card], order 4111111111111112 of 2026-11-20, 19.99 EUR, room 1234.'
  )
  t.equal(asked[0]!.request.wording().system, 'Write to help@shop.example.', 'what the business says of itself stays')
  const open = client([['well']])
  await open.ask([of('a')], { messages })
  t.same(open.asked[0]!.request.wording().messages, messages)
})

t.test('a model that thinks aloud until no token is left for its answer has failed, and says how to mend it', async (t) => {
  const told: string[] = []
  const thinks: Script = [{ type: 'end', reason: 'length' }]
  const { ask } = client([thinks, ['the other']], { onFailure: ({ detail }) => told.push(detail) })
  t.match(await ask([of('a'), of('b')]), { text: 'the other' })
  t.match(told, [/raise token_length/])
})

t.test('an answer of which the filter left nothing is told like other failures, and another model asked', async (t) => {
  // Was wrong: it ended as a whole answer without a word, became an extract, and the log said nothing.
  for (const before of [[], [' \n']]) {
    const told: string[] = []
    const filtered = [...before, { type: 'end', reason: 'filtered' }] as Script
    const { ask } = client([filtered, ['the other']], { onFailure: ({ code, detail }) => told.push(`${code}: ${detail}`) })
    const { text, error } = await ask([of('a'), of('b')])
    t.match({ text, error }, before.length > 0 ? { error: { code: 'model_request_refused' } } : { text: 'the other' })
    t.match(told, [/^model_request_refused: .*content filter/])
  }
  const filtered: Script = ['half', { type: 'end', reason: 'filtered' }]
  t.match(await client([filtered]).ask(), { text: 'half', end: { reason: 'filtered' } }, 'what it left is kept')
})
