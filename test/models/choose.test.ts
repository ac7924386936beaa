import path from 'node:path'
import t from 'tap'
import { matches } from '../../src/models/choose.ts'
import { chooseModels, offersFrom, type Offer } from '../../src/models/index.ts'
import { modelNamed } from './scripted.ts'

const provider = (id: string) => ({ ...modelNamed().provider, id })
const offer = (match: string, more: Partial<Offer> = {}): Offer => ({
  match, provider: provider(match), isPremium: false, price: null, context: null, fallback: null, ...more
})
const chosen = (name: string, installation: Offer[], { own = [] as string[][], hasPremium = false } = {}) => {
  const choice = chooseModels(name, {
    ofAccount: own.map((models, i) => ({ name: `${i}`, models, provider: provider(`own-${i}`) })), installation, hasPremium
  })
  return 'none' in choice ? choice.none : choice.models.map(({ name, provider }) => `${name} at ${provider.id}`)
}

t.test(
  "the account's own provider goes before the installation's, the first that matches before the others",
  async (t) => {
    const installation = [offer('gpt-4*'), offer('gpt-*'), offer('claude-3')]
    t.same(chosen('gpt-4o', installation), ['gpt-4o at gpt-4*'])
    t.same(chosen('gpt-5', installation), ['gpt-5 at gpt-*'])
    t.same(chosen('gpt-4o', installation, { own: [['mine'], ['gpt-4o', 'x*'], ['gpt-*']] }), ['gpt-4o at own-1'])
    t.match(chosen('llama', installation), /No provider has the model "llama".*AGENTHALL_MODELS/)
    t.match(chosen('llama', []), /set AGENTHALL_OPENAI_KEY/)
  }
)

t.test('a model has a fallback, and a premium one needs the feature', async (t) => {
  const installation = [
    offer('big', { isPremium: true, fallback: 'small' }),
    offer('small', { fallback: 'tiny' }),
    offer('tiny', { fallback: 'big' }),
    offer('gold', { isPremium: true }),
    offer('lost', { fallback: 'nowhere' })
  ]
  t.same(
    chosen('big', installation, { hasPremium: true }), ['big at big', 'small at small', 'tiny at tiny'], 'no circle'
  )
  t.same(chosen('big', installation), ['small at small', 'tiny at tiny'])
  t.same(chosen('small', installation), ['small at small', 'tiny at tiny'], 'nor by way of a fallback')
  t.match(chosen('gold', installation), /PREMIUM_MODELS/)
  t.same(chosen('gold', installation, { own: [['gold']] }), ['gold at own-0'], 'one\'s own is never premium')
  t.same(chosen('lost', installation), ['lost at lost'])
})

t.test('a pattern has stars for anything', async (t) => {
  for (const [pattern, name] of [
    ['a', 'A'],
    ['*', ''],
    ['*', 'x'],
    ['gpt-*', 'GPT-4'],
    ['*-mini', 'gpt-4o-mini'],
    ['a*b*c', 'aXbYc'],
    ['a*b*c', 'abc'],
    ['**', 'x']
  ] as const) { t.ok(matches(pattern, name), `${pattern} ${name}`) }
  for (const [pattern, name] of [
    ['a', 'ab'], ['gpt-*', 'xgpt-4'], ['*-mini', 'mini'], ['a*b*c', 'acb'], ['ab*ba', 'aba'], ['a.c', 'abc']
  ] as const) { t.notOk(matches(pattern, name), `${pattern} ${name}`) }
})

const NOTHING = { openaiKey: '', anthropicKey: '', url: '', urlKey: '', file: '' }
const summary = (offers: Offer[]) =>
  offers.map(({ match, provider: { id, kind, url, key } }) => `${match} ${id} ${kind} ${url} ${String(key())}`)

t.test('keys and an address are all that has to be set', async (t) => {
  t.same(offersFrom(NOTHING), [])
  t.same(summary(offersFrom({ ...NOTHING, openaiKey: 'k' })), ['* openai openai https://api.openai.com/v1 k'])
  t.same(summary(offersFrom({ ...NOTHING, anthropicKey: 'k' })), [
    'claude* anthropic anthropic https://api.anthropic.com/v1 k'
  ])
  t.same(summary(offersFrom({ ...NOTHING, url: 'http://localhost:11434/v1/' })), [
    '* url openai http://localhost:11434/v1 null'
  ])
  const all = offersFrom({ ...NOTHING, openaiKey: 'o', anthropicKey: 'a', url: 'http://x/v1', urlKey: 'u' })
  t.same(
    ['gpt-4o', 'o3-mini', 'claude-5', 'llama3'].map((name) => chosen(name, all)),
    [['gpt-4o at openai'], ['o3-mini at openai'], ['claude-5 at anthropic'], ['llama3 at url']]
  )
  t.notMatch(JSON.stringify(all), /"[oau]"/, 'a provider that is printed does not show its key')
})

t.test('a list says more, and what is wrong with it is named', async (t) => {
  const directory = t.testdir({
    'key.txt': 'from-file\n',
    'models.json': JSON.stringify([
      {
        match: 'big',
        provider: 'anthropic',
        key_file: 'key.txt',
        premium: true,
        price: { input: 3, output: 15 },
        context: 200_000,
        fallback: 'small'
      },
      { match: 'small', provider: 'openai-compatible', url: 'http://10.0.0.5:8000/v1/' }
    ]),
    'text.json': 'no json',
    'object.json': '{}',
    'unknown.json': '[{ "match": "a", "provider": "openai" }, { "match": "a", "provider": "bard" }]',
    'extra.json': '[{ "match": "a", "provider": "openai", "price": { "input": -1, "output": 1 } }]',
    'nothing.json': '[7]',
    'no-url.json': '[{ "match": "a", "provider": "openai-compatible" }]',
    'no-key.json': '[{ "match": "a", "provider": "openai", "key_file": "missing.txt" }]'
  })
  const from = (name: string) => offersFrom({ ...NOTHING, openaiKey: 'k', file: path.join(directory, name) })
  t.match(from('models.json'), [
    { match: 'big', isPremium: true, price: { input: 3, output: 15, cached: 3 }, context: 200_000, fallback: 'small' },
    { match: 'small', isPremium: false, price: null, provider: { url: 'http://10.0.0.5:8000/v1', isOperators: true } },
    { match: '*' }
  ])
  t.equal(await from('models.json')[0]!.provider.key(), 'from-file')
  for (const [name, fault] of Object.entries({
    'missing.json': /cannot be read \(ENOENT\)/,
    'text.json': /not JSON/,
    'object.json': /not a list/,
    'unknown.json': /entry 2, provider/,
    'extra.json': /entry 1, price\.input/,
    'nothing.json': /entry 1: /,
    'no-url.json': /entry 1, url/,
    'no-key.json': /entry 1, key_file: .*missing\.txt cannot be read/
  })) t.throws(() => from(name), { code: 'VALIDATION_ERROR', message: fault }, name)
})
