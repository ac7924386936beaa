import t from 'tap'
import { build } from '../helper.ts'
import { keptBytes } from '../postgres/looking.ts'

const AT = '/v1/model_providers'
const draft = { name: 'Ours', provider: 'openai', key: 'sk-very-secret-4711', models: ['gpt-*'] }

t.test('an account brings providers of its own; their keys are kept sealed and never shown', async (t) => {
  const built = await build(t)
  const { user, stores } = built
  const as = await user()
  const added = await as.post(AT, draft)
  t.equal(added.statusCode, 201)
  t.match(added.json().data, {
    id: 1,
    name: 'Ours',
    provider: 'openai',
    url: 'https://api.openai.com/v1',
    models: ['gpt-*'],
    key_hint: '4711'
  })
  t.match(
    (
      await as.post(AT, {
        name: 'b',
        provider: 'openai-compatible',
        url: 'https://models.example.com/v1/',
        models: ['llama']
      })
    ).json().data,
    { url: 'https://models.example.com/v1', key_hint: '' }
  )
  const short = { name: 'c', provider: 'openai', models: ['gpt-*'], key: 'sk-x' }
  const { id, key_hint: hint } = (await as.post(AT, short)).json().data
  t.equal(hint, '', 'of a short key its end would be most of it')
  await as.delete(`${AT}/${id}`)
  const listed = await as.get(AT)
  t.same(listed.json().data.map(({ name }: { name: string }) => name), ['Ours', 'b'])
  for (const { body } of [added, listed]) t.notMatch(body, 'very-secret')

  const choice = await stores.models.choose({ id: as.id, hasPremium: false }, 'gpt-4o')
  t.match(choice, { models: [{ name: 'gpt-4o', provider: { id: 'account-1', kind: 'openai', isOperators: false } }] })
  t.equal('models' in choice && await choice.models[0].provider.key(), draft.key)
  const other = await stores.models.choose({ id: as.id, hasPremium: false }, 'llama')
  t.equal('models' in other && await other.models[0].provider.key(), null)

  t.equal((await as.delete(`${AT}/1`)).statusCode, 200)
  t.equal((await as.delete(`${AT}/1`)).statusCode, 404)
  t.equal('models' in choice && await choice.models[0].provider.key(), null, 'its key is gone, for who still has it too')
  t.match(await stores.models.choose({ id: as.id, hasPremium: false }, 'gpt-4o'), { none: /No provider/ })
  t.notOk(keptBytes(built).includes('very-secret'), 'in no byte of what is kept')
  t.ok(keptBytes(built).includes('models.example.com'))
})

t.test('they are the account\'s alone, and need the permission', async (t) => {
  const { user, stores } = await build(t)
  const [mine, other, without] = [await user(), await user(), await user({ permissions: ['MANAGE_AGENTS'] })]
  const { id } = (await mine.post(AT, draft)).json().data
  t.same((await other.get(AT)).json().data, [])
  t.equal((await other.delete(`${AT}/${id}`)).statusCode, 404)
  t.match(await stores.models.choose({ id: other.id, hasPremium: true }, 'gpt-4o'), { none: /no language models/ })
  for (const answer of [await without.get(AT), await without.post(AT, draft), await without.delete(`${AT}/${id}`)]) {
    t.equal(answer.statusCode, 403)
  }
  t.equal((await mine.get(AT)).json().data.length, 1)
})

t.test('a wrong provider is refused, one too many too, and a repeat is answered again', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const refused = async (body: object) => (await as.post(AT, { ...draft, ...body })).json().error
  const compatible = { provider: 'openai-compatible' }
  for (const url of [
    'https://127.0.0.1/v1',
    'https://localhost/v1',
    'https://a.localhost./v1',
    'https://[::1]/v1',
    'https://10.0.0.1/v1',
    'https://192.0.2.1/',
    'https://2130706433/',
    'https://me@a.example/v1',
    'http://a.example/v1',
    'https://'
  ]) {
    t.match(await refused({ ...compatible, url }), { code: 'VALIDATION_ERROR', details: [{ field: 'url' }] }, url)
  }
  t.match(await refused(compatible), { code: 'VALIDATION_ERROR', details: [{ field: 'url', message: /required/ }] })
  for (const body of [{ models: [] }, { provider: 'bard' }, { key: 'with space' }, { name: '' }, { more: 1 }]) {
    t.match(await refused(body), { code: 'VALIDATION_ERROR' })
  }
  const key = { 'idempotency-key': 'once' }
  const [first, again] = [await as.post(AT, draft, key), await as.post(AT, draft, key)]
  t.same(again.json(), first.json())
  t.equal(again.headers['idempotency-replayed'], 'true')
  for (let count = 1; count < 20; count++) t.equal((await as.post(AT, draft)).statusCode, 201)
  t.match(await refused({}), { code: 'limit_reached', message: /20 model providers/ })
  t.equal((await (await user()).post(AT, draft)).statusCode, 201, 'each account has its own twenty')
})

t.test('a list of models that cannot be read is told before the server starts, and stops no command', async (t) => {
  const env = { AGENTHALL_MODELS: '/nowhere/models.json' }
  const { stores } = await build(t, env)
  await t.rejects(stores.models.choose({ id: 1, hasPremium: true }, 'x'), {
    code: 'VALIDATION_ERROR', message: /AGENTHALL_MODELS names \/nowhere/
  })
  const { openStores } = await import('../../src/stores.ts')
  const { readConfig } = await import('../../src/config.ts')
  const { fixedClock } = await import('../helper.ts')
  await t.rejects(
    openStores({ config: readConfig(env), directory: t.testdir({}), clock: fixedClock(), serving: true }),
    { code: 'VALIDATION_ERROR' }
  )
})

t.test(
  'keys are sealed with agenthall.key; those that were not go on working, and are at the next start',
  async (t) => {
    // Was wrong: a copy of the file, such as a backup, decrypted them.
    const { user, stores } = await build(t)
    const as = await user()
    const { secrets, modelProviders, db } = stores
    for (const key of ['first-key', 'second-key', undefined]) {
      await as.post(AT, {
        ...draft,
        ...(key === undefined ? { provider: 'openai-compatible', url: 'https://a.example', key } : { key })
      })
    }
    const keys = async () =>
      await Promise.all((await modelProviders.offers(as.id)).map(({ provider }) => provider.key()))
    t.strictSame(await keys(), ['first-key', 'second-key', null])
    const kept = () =>
      db.raw
        .prepare('select id, secret, key from model_providers where secret is not null order by id')
        .all() as Array<{ id: number, secret: number, key: Buffer }>
    const [first, second] = kept()
    // As 0.4 sealed it: with a secret of the file alone.
    const before = await db.read(function * () {
      return (yield * secrets.seal(first!.secret))!.close(`model_providers.key ${first!.secret}`, 'first-key')
    })
    db.raw.prepare('update model_providers set key = ? where id = ?').run(before, first!.id)
    t.strictSame(await keys(), ['first-key', 'second-key', null], 'it goes on working')
    await modelProviders.reseal()
    const [resealed, same] = kept()
    t.notSame(resealed!.key, before)
    t.same(same!.key, second!.key, 'what is sealed already stays as it is')
    t.strictSame(await keys(), ['first-key', 'second-key', null])
    const where = `model_providers.key ${first!.secret}`
    const inFile = await db.read(function * () {
      const seal = (yield * secrets.seal(first!.secret))!
      return [where, `${where} vaulted`].map((at) => {
        try {
          return seal.open(at, resealed!.key).toString('latin1')
        } catch {
          return ''
        }
      })
    })
    t.notMatch(inFile.join(), 'first-key', 'the file alone opens it no more')
    await db.atomically(function * () { return stores.vault.renew() })
    await t.rejects(keys(), { code: 'conflict', message: /Enter it again/ })
  }
)
