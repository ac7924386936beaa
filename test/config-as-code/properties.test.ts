import fc from 'fast-check'
import t from 'tap'
import { parsed } from '../../src/config-as-code/files/parse.ts'
import { isStructured, readFiles } from '../../src/config-as-code/files/read.ts'
import { tarOf } from '../../src/config-as-code/files/tar.ts'
import { atOnce } from '../../src/platform/work/slices.ts'
import { applying, HEAD, inFiles, type Files } from './helper.ts'

/** As JSON, which is YAML too. */
const yaml = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== '' && !/[\0\uD800-\uDFFF]/.test(text))
const lines = fc.array(words, { minLength: 1, maxLength: 4 }).map((all) => all.join('\n'))
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) => fc.record(fields, { requiredKeys: [] })
const keys = fc.uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,10}$/), { minLength: 1, maxLength: 3 })

const settings = optional({
  name: words,
  description: lines,
  appearance: optional({ welcomeMessage: lines, primaryColor: fc.constantFrom('#112233', '#abcdef'), position: fc.constantFrom('top-left', 'bottom-right') }),
  behavior: optional({
    suggestions: fc.array(words, { maxLength: 3 }),
    followupCount: fc.nat(5),
    guidelines: optional({ dos: fc.array(words, { maxLength: 2 }) })
  }),
  model: optional({ temperature: fc.constantFrom(0, 0.2, 1), response_model: fc.constantFrom('a/b-1', 'gpt-4o-mini') }),
  translations: fc.dictionary(fc.constantFrom('de', 'fr'), optional({ welcomeMessage: words }), { maxKeys: 2 }),
  publish_on_save: fc.boolean(),
  vocabulary: fc.uniqueArray(fc.constantFrom('Aurora', 'PSU', 'Kettle'), { maxLength: 2 }).map((terms) => terms.map((term) => ({ term, means: ['thing', ' other  thing '] })))
})
const source = fc.record({ title: words, folder: fc.array(fc.constantFrom('A', 'B'), { maxLength: 2 }), selected: fc.boolean() }, { requiredKeys: ['title'] })
const each = <A, B>(one: fc.Arbitrary<A>, other: fc.Arbitrary<B>) =>
  keys.chain((all) => fc.tuple(...all.map((key) => fc.tuple(fc.constant(key), one, other))))
const agent = fc.record({ settings, prompt: lines, texts: each(source, lines), questions: each(words, words) })
const webhook = fc.record({ url: fc.constantFrom('https://a.example/x', 'https://b.example/y'), events: fc.constant(['ticket.created']), description: words, is_active: fc.boolean() }, { requiredKeys: ['url', 'events'] })

/** Arbitrary configurations. */
const configurations = fc.record({
  agents: keys.chain((all) => fc.tuple(...all.map((key) => fc.tuple(fc.constant(key), agent)))),
  webhooks: keys.chain((all) => fc.tuple(...all.map((key) => fc.tuple(fc.constant(key), webhook)))),
  business: optional({ name: fc.constantFrom('', ' A  shop ', 'B'), address: fc.constantFrom('', ' 1 Road \n\n  Town ', 'B'), time_zone: fc.constantFrom('UTC', 'Europe/Berlin'), closed_on: fc.constantFrom([], ['2026-12-25']) })
}).map(({ agents, webhooks, business }): Files => ({
  'agenthall.yaml': HEAD,
  'business.yaml': yaml(business),
  'webhooks.yaml': yaml(webhooks.map(([key, said]) => ({ key, ...said }))),
  ...Object.fromEntries(agents.flatMap(([key, { settings, prompt, texts, questions }]) => [
    [`agents/${key}/agent.yaml`, yaml({ key, name: key, ...settings })],
    [`agents/${key}/prompt.md`, `${prompt}\n`],
    [`agents/${key}/sources.yaml`, yaml(texts.map(([name, said]) => ({ key: name, ...said, text: `knowledge/${name}.md` })))],
    ...texts.map(([name, , text]) => [`agents/${key}/knowledge/${name}.md`, `${text}\n`]),
    [`agents/${key}/questions.yaml`, yaml(questions.map(([name, text, says]) => ({ key: name, text, expect: { says: [says], sources: texts.slice(0, 1).map(([one]) => one) } })))]
  ]))
}))

t.test('whatever the configuration: applied twice it changes nothing, and what is exported of it is the same bytes elsewhere', async (t) => {
  const built = await inFiles(t)
  await fc.assert(fc.asyncProperty(configurations, async (files) => {
    const [here, there] = [applying(await built.user()), applying(await built.user())]
    await here.apply(files, {})
    const again = await here.planned(files, {})
    t.strictSame(again.changes, [], 'applied twice')
    const exported = await here.exported()
    const own = await here.planned(exported, {})
    t.strictSame(own.changes, [], 'exported and applied')
    await there.apply(exported, {})
    t.strictSame(await there.exported(), exported, 'applied elsewhere and exported')
  }), { numRuns: 12, endOnFailure: true })
})

/** What somebody does in the console meanwhile. */
const EDITS: Array<(me: { put: any, patch: any, delete: any }, id: number) => Promise<unknown>> = [
  (me, id) => me.put(`/v1/agents/${id}`, { description: 'By hand' }),
  (me, id) => me.put(`/v1/agents/${id}/vocabulary`, { terms: [{ term: 'Hand', means: ['by hand'] }] }),
  (me) => me.put('/v1/business', { name: 'By hand' }),
  (me) => me.patch('/v1/webhooks/1', { description: 'By hand' }),
  (me, id) => me.delete(`/v1/agents/${id}`),
  (me) => me.delete('/v1/webhooks/1'),
  async () => undefined
]
const edits = fc.constantFrom(...EDITS)

t.test('a change in the console between plan and apply is never lost', async (t) => {
  await fc.assert(fc.asyncProperty(edits, fc.boolean(), async (edit, isAtOnce) => {
    const built = await inFiles(t)
    const { me, apply, plan, send, exported } = built
    const files: Files = {
      'agenthall.yaml': HEAD,
      'business.yaml': 'name: Ours\n',
      'webhooks.yaml': '- { key: crm, url: "https://a.example", events: [ticket.created] }\n',
      'agents/a/agent.yaml': 'key: a\nname: A\ndescription: Ours\nvocabulary: [{ term: Ours, means: [x] }]\n',
      'agents/a/prompt.md': 'You help.\n'
    }
    await apply(files)
    const next = { ...files, 'business.yaml': 'name: Next\n', 'webhooks.yaml': files['webhooks.yaml']!.replace('crm,', 'crm, description: Next,'), 'agents/a/agent.yaml': 'key: a\ndescription: Next\nvocabulary: [{ term: Next, means: [x] }]\n' }
    const { digests } = (await plan(next)).json().data
    const [{ id }] = (await me.get('/v1/agents')).json().data
    const applying = isAtOnce ? send(next, digests) : undefined
    const before = JSON.stringify(await exported())
    await edit(me, id)
    const after = JSON.stringify(await exported())
    const { statusCode } = await (applying ?? send(next, digests))
    const then = JSON.stringify(await exported())
    if (statusCode !== 200) t.equal(then, after, 'what was done by hand is there')
    else if (!isAtOnce) t.equal(before, after, 'nothing was done by hand')
    await built.close()
  }), { numRuns: 14 })
})

t.test('nothing secret is in an export, in a plan or in an answer', async (t) => {
  const { me, apply, planned, exported } = await inFiles(t)
  const secrets = { KEY: 'sk-canary-key', CHAT: 'https://chat.example.com/canary-chat' }
  const files = {
    'agenthall.yaml': HEAD,
    'business.yaml': 'team_chat_url: { env: CHAT }\n',
    'actions/shop.yaml': 'key: shop\nbase_url: https://shop.example.com\nauth: bearer\nsecret: { env: KEY }\n',
    'webhooks.yaml': '- { key: crm, url: "https://crm.example.com", events: [ticket.created] }\n'
  }
  const made = await apply(files, { secrets })
  const { data: { secret } } = (await me.post('/v1/webhooks/1/rotate', {})).json()
  const again = await planned(files, { secrets })
  t.strictSame(again.changes, [], 'secrets that are the same are no change')
  const other = await planned(files, { secrets: { ...secrets, KEY: 'sk-canary-other', CHAT: 'https://chat.example.com/canary-2' } })
  t.match(other.changes, [{ place: 'business', changes: [{ field: 'team_chat_url', to: '••••' }] }, { place: 'connections/shop', changes: [{ field: 'secret', from: '••••', to: '••••' }] }])
  const shown = JSON.stringify([made, again, other, await exported(), (await me.get('/v1/config?format=tar')).body, (await me.get('/v1/config/state')).body, (await me.get('/v1/audit')).body])
  for (const canary of ['canary', secret.slice(6)]) t.notOk(shown.includes(canary), canary)
  t.match(await exported(), { 'actions/shop.yaml': /secret:\n {2}env: SHOP_SECRET\n {2}keep: true/, 'business.yaml': /team_chat_url:\n {2}env: TEAM_CHAT_URL\n {2}keep: true/ })
  t.match((await planned(files, {})).missing_secrets, ['CHAT', 'KEY'])
  const missing = await me.post('/v1/config/apply', { plan: { files: Object.entries(files).map(([path, text]) => ({ path, text })) }, if: (await planned(files, {})).digests })
  t.match(missing.json().error.details, [{ message: /The secret CHAT is missing/ }, { message: /The secret KEY is missing/ }])
  const keep = { ...files, 'actions/shop.yaml': 'key: other\nname: Other\nbase_url: https://o.example\nauth: bearer\nsecret: { keep: true }\n', 'business.yaml': 'team_chat_url: null\n' }
  t.match(await planned(keep, { secrets }), { missing_secrets: ['connections/other: keep'] })
  await apply({ 'agenthall.yaml': HEAD, 'business.yaml': 'team_chat_url: null\n' }, {})
  t.equal((await me.get('/v1/business')).json().data.team_chat_host, null)
  await apply({ 'agenthall.yaml': HEAD, 'actions/shop.yaml': 'key: shop\nauth: none\nsecret: null\n' }, {})
  t.equal((await me.get('/v1/connections/1')).json().data.has_secret, false)
})

t.test('an archive holds what JSON holds, under names of any length', async (t) => {
  const { me, apply, exported } = await inFiles(t)
  const key = 'k'.repeat(64)
  await apply({ 'agenthall.yaml': HEAD, [`agents/${key}/agent.yaml`]: `key: ${key}\nname: Long\n`, [`agents/${key}/prompt.md`]: 'You help.\n', [`agents/${key}/knowledge/${key}.md`]: `${'x'.repeat(512)}` })
  const answer = await me.get('/v1/config?format=tar')
  t.match(answer.headers, { 'content-type': 'application/x-tar', 'content-disposition': /agenthall-config\.tar/ })
  const unpacked: Files = {}
  const bytes = answer.rawPayload
  for (let at = 0; bytes[at] !== 0;) {
    const text = (from: number, length: number) => bytes.subarray(at + from, at + from + length).toString().replace(/\0.*$/s, '')
    const size = parseInt(text(124, 12), 8)
    const sum = bytes.subarray(at, at + 512).reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0)
    t.equal(parseInt(text(148, 8), 8), sum)
    unpacked[[text(345, 155), text(0, 100)].filter(Boolean).join('/')] = bytes.subarray(at + 512, at + 512 + size).toString()
    at += 512 + Math.ceil(size / 512) * 512
  }
  t.strictSame(unpacked, await exported())
  t.match(Object.keys(await exported(`?agent_key=${key}`)), ['agenthall.yaml', `agents/${key}/agent.yaml`])
  t.equal((await me.get('/v1/config?agent_key=nobody')).statusCode, 404)
  const pieces: Buffer[] = []
  for await (const piece of tarOf([{ path: 'a', bytes: async () => Buffer.from('x') }])) pieces.push(piece)
  t.equal(Buffer.concat(pieces).length, 4 * 512)
})

t.test('many directories are read in pieces, whatever they are called', async (t) => {
  // Was wrong: 2,400 directories blocked the loop for 1.9 s, and one that was called `(` ended in 500.
  const many = Array.from({ length: 2000 }, (_, n) => `agents/${'(a+)+'.repeat(n % 3)}a${n}`)
  const paths = ['agenthall.yaml', ...many.flatMap((home) => [`${home}/agent.yaml`, `${home}/knowledge/a.md`])]
  const files = paths.filter(isStructured).map((path) => parsed(path, path === 'agenthall.yaml' ? 'format: 1\nmanage: [agents]\n' : 'key: x\n'))
  let looked = 0
  const counting = files.map((file) => ({ ...file, get path () { looked++; return file.path } }))
  const work = readFiles(paths, counting)
  let stops = 0
  try {
    while (!work.next().done) stops++
    t.fail('the keys are wrong')
  } catch (error) {
    t.match(error, { code: 'VALIDATION_ERROR' })
  }
  t.ok(stops >= paths.length, `${stops} stops`)
  t.equal(looked, files.length)
  const unset = Array.from({ length: 300 }, (_, n) => [n, 'name'])
  const sources = { ...parsed('agents/a/sources.yaml', '[]'), value: unset.map(([n]) => ({ key: `k${n}`, text: 'knowledge/a.md' })), unset }
  const { objects } = atOnce(readFiles(['agenthall.yaml', 'agents/a/agent.yaml', 'agents/a/sources.yaml', 'agents/a/knowledge/a.md'], [
    files[0]!, parsed('agents/a/agent.yaml', 'key: a\n'), sources
  ]))
  t.ok(objects.filter(({ kind }) => kind === 'source').every(({ unset }) => unset.join() === 'name'), 'each has its own')
})

t.test('whatever files hold, reading them ends in a sentence', (t) => {
  fc.assert(fc.property(fc.dictionary(fc.constantFrom('agenthall.yaml', 'business.yaml', 'webhooks.yaml', 'actions/a.yaml', 'agents/a/agent.yaml', 'agents/a/sources.yaml', 'agents/a/questions.yaml', 'agents/a/knowledge/f.csv', 'agents/a/knowledge/t.md', 'agents/(a+)+/agent.yaml', 'agents/(/agent.yaml', 'agents/(/knowledge/t.md', 'x.yaml'), fc.oneof(fc.string({ unit: 'grapheme' }), fc.jsonValue().map((value) => JSON.stringify(value)))), (files) => {
    try {
      const structured = Object.entries(files).filter(([path]) => isStructured(path))
      atOnce(readFiles(Object.keys(files), structured.map(([path, text]) => parsed(path, text))))
    } catch (error) {
      if ((error as { code?: string }).code !== 'VALIDATION_ERROR') throw error
    }
  }), { numRuns: 500 })
  t.end()
})
