import t from 'tap'
import { linesOf } from '../../src/models/trying/trial.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { build, draft } from '../helper.ts'
import { modelNamed } from './scripted.ts'

const TEST = '/v1/language_models/test'

t.test('which models answer is listed, the server\'s too, each where it is asked', async (t) => {
  const { user } = await build(t, { AGENTHALL_MODEL_URL: 'http://127.0.0.1:9/v1', AGENTHALL_ANTHROPIC_KEY: 'x' })
  const me = await user()
  await me.post('/v1/agents', { ...draft, model: { response_model: 'claude-small' } })
  await me.post('/v1/agents', { ...draft, name: 'Bo', model: { response_model: 'llama' } })
  await me.post('/v1/model_providers', { name: 'Ours', provider: 'openai', key: 'sk-x', models: ['gpt-*'] })
  const { data } = (await me.get('/v1/language_models')).json()
  t.match(data, [
    { models: ['gpt-*'], name: 'Ours', provider: 'openai', is_own: true, used: [] },
    { models: ['claude*'], name: '', provider: 'anthropic', is_own: false, is_usable: true, price: null, used: ['claude-small'] },
    { models: ['*'], provider: 'openai-compatible', is_own: false, used: ['llama'] }
  ])
  t.notMatch(JSON.stringify(data), /127\.0\.0\.1|sk-x/, 'no address of the server, and no key')
  const { provider } = modelNamed()
  const premium = { match: 'gold', provider, isPremium: true, price: { input: 1, output: 2, cached: 1 }, context: 9, fallback: null }
  t.match(linesOf([], [premium], [], false), [{ is_usable: false, price: { input: 1, output: 2 }, context: 9 }])
})

t.test('a model is tried: its first words, how long they took, and what is counted', async (t) => {
  const model = await slowModel(t)
  const { user } = await build(t, { AGENTHALL_MODEL_URL: model.url })
  const me = await user()
  const [answer] = await Promise.all([
    me.post(TEST, { model: 'small' }),
    model.next().then(async (asked) => {
      t.equal(asked.body.model, 'small')
      await asked.say('Yes, I am here.')
      asked.end()
    })
  ])
  const { data } = answer.json()
  t.match(data, { answers: true, message: null, model: 'small', text: 'Yes, I am here.', cost: null })
  t.type(data.first_ms, 'number')
  t.ok(data.input_tokens > 0)
  t.match((await me.get('/v1/usage')).json().data.total, { runs: 1, output_tokens: data.output_tokens })
  const [refused] = await Promise.all([
    me.post(TEST, { model: 'small' }), model.next().then((asked) => asked.refuse(401))
  ])
  t.match(refused.json().data, { answers: false, text: '', message: /.{10}/ })
})

t.test('one that nobody has says why, and one\'s tokens of the day are kept', async (t) => {
  const none = await (await build(t)).user()
  t.match((await none.post(TEST, { model: 'x' })).json().data, { answers: false, message: /AGENTHALL_MODEL_URL/ })
  const { user, stores } = await build(t, {
    AGENTHALL_MODEL_URL: 'http://127.0.0.1:9/v1', AGENTHALL_DAILY_TOKENS: '{"enterprise":10}'
  }, { directory: t.testdir({ other: {} }) })
  const me = await user()
  await stores.conversations.ledger.note(me.id, {
    agent: 0,
    model: 'x',
    provider: 'url',
    outcome: 'complete',
    input_tokens: 10,
    output_tokens: 1,
    cached_tokens: 0,
    cost: null,
    first_ms: 1,
    total_ms: 1
  })
  t.match((await me.post(TEST, { model: 'x' })).json().data, { answers: false, message: /used up/ })
})

t.test('an address without encryption or in one\'s own network is refused with the setting that allows it', async (t) => {
  // Was wrong: "url does not have the expected form", and a sentence that named no setting.
  const me = await (await build(t)).user()
  for (const [url, code] of [['http://models.shop.com/v1', 'address_open'], ['https://10.0.0.1/v1', 'address_private']]) {
    const { error } = (await me.post('/v1/model_providers', {
      name: 'Ours', provider: 'openai-compatible', url, models: ['*']
    })).json()
    t.match(error, { code: 'VALIDATION_ERROR', details: [{ field: 'url', code, message: /AGENTHALL_MODEL_URL/ }] })
  }
})
