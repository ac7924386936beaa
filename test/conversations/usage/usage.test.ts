import t from 'tap'
import type { ModelUsage } from '../../../src/conversations/usage/ledger.ts'
import { isSpent } from '../../../src/conversations/usage/ledger.ts'
import { build, draft } from '../../helper.ts'

const DAY_MS = 86_400_000
const run = (agent: number, model: string, more: Partial<ModelUsage> = {}): ModelUsage => ({
  agent,
  model,
  provider: 'openai',
  outcome: 'complete',
  input_tokens: 100,
  output_tokens: 20,
  cached_tokens: 10,
  cost: 0.25,
  first_ms: 300,
  total_ms: 900,
  ...more
})

/** An account with two agents, whose models answered on the 1st, the 2nd and the 31st of January 2026. */
async function used (t: Parameters<typeof build>[0]) {
  const built = await build(t)
  const me = await built.user()
  const [ada, bob] = [
    (await me.post('/v1/agents', draft)).json().data.id, (await me.post('/v1/agents', draft)).json().data.id
  ] as [number, number]
  const { ledger } = built.stores.conversations
  await ledger.note(me.id, run(ada, 'large'))
  await ledger.note(me.id, run(ada, 'large', { outcome: 'stopped', cost: 0.000_001 }))
  await ledger.note(me.id, run(bob, 'small', { cost: null }))
  built.clock.advance(DAY_MS)
  await ledger.note(me.id, run(bob, 'large', { input_tokens: 1, output_tokens: 2, cached_tokens: 0 }))
  built.clock.advance(29 * DAY_MS)
  await ledger.note(me.id, run(ada, 'small', { cost: null, first_ms: null, total_ms: null }))
  return { ...built, me, ada, bob, ledger, read: async (query = '') => (await me.get(`/v1/usage${query}`)).json().data }
}

t.test('what models took is summed by day and model, of all agents or of one', async (t) => {
  const { read, bob } = await used(t)
  const first = [
    {
      day: '2026-01-01',
      model: 'large',
      runs: 2,
      input_tokens: 200,
      output_tokens: 40,
      cached_tokens: 20,
      cost: 0.250_001
    },
    { day: '2026-01-01', model: 'small', runs: 1, input_tokens: 100, output_tokens: 20, cached_tokens: 10, cost: null }
  ]
  const second = {
    day: '2026-01-02', model: 'large', runs: 1, input_tokens: 1, output_tokens: 2, cached_tokens: 0, cost: 0.25
  }
  t.strictSame(await read('?from=2026-01-01&to=2026-01-02'), {
    from: '2026-01-01',
    to: '2026-01-02',
    total: { runs: 4, input_tokens: 301, output_tokens: 62, cached_tokens: 30, cost: 0.500_001 },
    days: [...first, second]
  })
  t.strictSame((await read('?from=2026-01-02&to=2026-01-02')).days, [second], 'both days are included')
  t.strictSame((await read(`?from=2026-01-01&to=2026-01-31&agent=${bob}`)).days, [first[1], second])
  t.strictSame((await read('?from=2026-02-01&to=2026-02-02')).total, {
    runs: 0, input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: null
  })
})

t.test('without days it is the last thirty, today among them', async (t) => {
  const { read } = await used(t)
  const { from, to, days, total } = await read()
  t.strictSame([from, to], ['2026-01-02', '2026-01-31'])
  t.strictSame(
    days.map(({ day, model }: { day: string, model: string }) => [day, model]),
    [
      ['2026-01-02', 'large'], ['2026-01-31', 'small']
    ]
  )
  t.equal(total.cost, 0.25, 'where no price is known, nothing is added')
  t.equal((await read('?to=2026-01-01')).from, '2025-12-03')
})

t.test('days that are none, backwards, or more than a year are refused by name', async (t) => {
  const { me } = await used(t)
  // Was wrong: a day that is not in the calendar was a server error.
  const wrong: Array<[field: string, query: string]> = [
    ['from', 'from=2026-02-02&to=2026-02-01'],
    ['from', 'from=2025-01-01&to=2026-01-02'],
    ['from', 'from=2026-13-01'],
    ['from', 'from=2026-02-30&to=2026-03-03'],
    ['to', 'to=2026-00-00']
  ]
  for (const [field, query] of wrong) {
    t.match(
      (await me.get(`/v1/usage?${query}`)).json().error, { code: 'VALIDATION_ERROR', details: [{ field }] }, query
    )
  }
  for (const query of ['from=yesterday', 'agent=x', 'since=2026-01-01']) {
    t.equal((await me.get(`/v1/usage?${query}`)).statusCode, 400, query)
  }
  t.equal((await me.get('/v1/usage?from=2025-01-01&to=2026-01-01')).statusCode, 200, '366 days are read')
})

t.test('only who may see figures reads them, and nobody sees another account\'s', async (t) => {
  const { user } = await used(t)
  t.equal((await (await user({ permissions: ['REPLY_CONVERSATION'] })).get('/v1/usage')).statusCode, 403)
  const other = await user({ permissions: ['VIEW_ANALYTICS'] })
  t.strictSame((await other.get('/v1/usage')).json().data.days, [])
})

t.test('the tokens of today are those of the account and of the agent; a cap that is reached is spent', async (t) => {
  const { ledger, me, ada, bob, clock } = await used(t)
  t.strictSame(await ledger.today(me.id, ada), { account: 120, agent: 120 })
  t.strictSame(await ledger.today(me.id, bob), { account: 120, agent: 0 })
  t.strictSame(await ledger.today(me.id + 1, ada), { account: 0, agent: 0 })
  await ledger.note(me.id, run(bob, 'large'))
  // Was wrong when the last counted generation was forgotten: all were counted again.
  t.strictSame(await ledger.today(me.id, bob), { account: 240, agent: 120 }, 'what comes later is counted too, and once')
  t.strictSame(await ledger.today(me.id, ada), { account: 240, agent: 120 })
  clock.advance(DAY_MS)
  t.strictSame(await ledger.today(me.id, ada), { account: 0, agent: 0 }, 'the next day begins at nothing')
  const cases: Array<[used: [number, number], caps: [number, number], spent: boolean]> = [
    [[99, 99], [100, 100], false],
    [[100, 0], [100, 100], true],
    [[0, 100], [0, 100], true],
    [[1e9, 1e9], [0, 0], false],
    [[1e9, 5], [0, 6], false]
  ]
  for (const [[account, agent], [ofAccount, ofAgent], spent] of cases) {
    t.equal(
      isSpent({ account, agent }, { account: ofAccount, agent: ofAgent }),
      spent,
      `${account} of ${ofAccount}, ${agent} of ${ofAgent}`
    )
  }
})
