import fc from 'fast-check'
import t, { type Test } from 'tap'
import { build } from '../helper.ts'

type Built = Awaited<ReturnType<typeof build>>
type Agent = Record<string, any>
interface World { app: Built, keys: string[], models: Array<Map<number, Agent>>, nextId: number }

const NAMES = ['Ada', 'Grace', 'Ädä', 'a%b', '_', 'Ω']
const patch = fc
  .record(
    {
      name: fc.constantFrom(...NAMES),
      description: fc.constantFrom('', 'x', 'Ada_'),
      status: fc.constantFrom('Active', 'Inactive'),
      agentType: fc.constantFrom('Sales Agent', 'sales_agent', 'Other'),
      appearance: fc.record(
        {
          buttonText: fc.string({ maxLength: 5, unit: 'grapheme' }),
          avatar: fc.record({ src: fc.constantFrom('', 'a', 'b') }, { requiredKeys: [] })
        },
        { requiredKeys: [] }
      ),
      behavior: fc.record(
        { suggestions: fc.array(fc.constantFrom('s', 't'), { maxLength: 3 }), email: fc.constantFrom(null, 'a@b.c') },
        { requiredKeys: [] }
      ),
      gdpr_settings: fc.record(
        { data_retention_days: fc.option(fc.integer({ min: 1, max: 99 })) }, { requiredKeys: [] }
      )
    },
    { requiredKeys: [] }
  )
  .filter((value) => !JSON.stringify(value).includes('\\u0000'))

/** What the API says an update does, in the plainest words. */
function merge (old: any, change: any): any {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change
  return { ...old, ...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, merge(old[key], value)])) }
}

const steps = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('create' as const), who: fc.nat(1), name: fc.constantFrom(...NAMES), body: patch
    }),
    weight: 4
  },
  {
    arbitrary: fc.record({ do: fc.constant('update' as const), who: fc.nat(1), which: fc.nat(12), body: patch }),
    weight: 4
  },
  { arbitrary: fc.record({ do: fc.constant('delete' as const), who: fc.nat(1), which: fc.nat(12) }), weight: 4 },
  {
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      who: fc.nat(1),
      limit: fc.option(fc.integer({ min: 1, max: 4 })),
      search: fc.option(fc.constantFrom('a', 'Ä', '%', '_')),
      status: fc.option(fc.constantFrom('Active', 'Inactive'))
    }),
    weight: 4
  },
  // Costs more than all the others.
  { arbitrary: fc.record({ do: fc.constant('restart' as const) }), weight: 1 }
)
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never

async function take (t: Test, world: World, step: Step) {
  if (step.do === 'restart') {
    await world.app.close()
    world.app = await build(t, {}, { directory: world.app.directory, clock: world.app.clock })
    return
  }
  const as = world.app.withKey(world.keys[step.who])
  const mine = world.models[step.who]!
  if (step.do === 'create') {
    const answer = await as.post('/v1/agents', { systemPrompt: 'p', ...step.body, name: step.name })
    const { data } = answer.json()
    if (answer.statusCode !== 201 || data.id !== world.nextId++) throw new Error(`create: ${answer.body}`)
    compare(data, merge(data, { ...step.body, name: step.name }))
    mine.set(data.id, data)
  } else if (step.do === 'list') {
    const { limit, search, status } = step
    const expected = [...mine.values()].filter(
      (agent) =>
        (status === null || agent.status === status) &&
        (search === null || `${agent.name}\n${agent.description}`.toLowerCase().includes(search.toLowerCase()))
    )
    const query = new URLSearchParams({
      ...(limit && { limit: String(limit), page: '2' }), ...(search && { search }), ...(status && { status })
    })
    const answer = await as.get(`/v1/agents?${query}`)
    compare(answer.json().data, limit ? expected.slice(limit, 2 * limit) : expected)
    if (limit) {
      compare(answer.json().pagination, {
        page: 2, limit, total: expected.length, pages: Math.ceil(expected.length / limit)
      })
    }
  } else {
    // Ids of both users, so that half of them belong to the other one.
    const id = step.which + 1
    const known = mine.get(id)
    const answer =
      step.do === 'update' ? await as.put(`/v1/agents/${id}`, step.body) : await as.delete(`/v1/agents/${id}`)
    if (answer.statusCode !== (known ? 200 : 404)) throw new Error(`${step.do} ${id}: ${answer.body}`)
    if (!known) return
    if (step.do === 'delete') mine.delete(id)
    else {
      const { data } = answer.json()
      const { updated_at: updated, live_version: live, draft_etag: draft } = data
      compare(data, { ...merge(known, step.body), updated_at: updated, live_version: live, draft_etag: draft })
      if (live < (known as { live_version: number }).live_version) throw new Error('a version was taken back')
      if (data.updated_at < known.updated_at) throw new Error('time went backwards')
      mine.set(id, data)
    }
  }
}

function compare (actual: unknown, expected: unknown) {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, sorted(item)])
        )
        : value
  const [left, right] = [JSON.stringify(sorted(actual)), JSON.stringify(sorted(expected))]
  if (left !== right) throw new Error(`${left}\nis not\n${right}`)
}

// Planted faults: arrays merged by index; a delete without its owner; a list kept after a change.
t.test('whatever two users do, the server agrees with a plain model of it, also after a restart', async (t) => {
  const done: Record<string, number> = {}
  await fc.assert(fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
    const app = await build(t, { AGENTHALL_RATE_LIMITS: '{"enterprise":0}' }, { directory: t.testdir({}) })
    const users = [await app.user(), await app.user()]
    const world: World = { app, keys: users.map(({ key }) => key!), models: [new Map(), new Map()], nextId: 1 }
    for (const step of steps) {
      done[step.do] = (done[step.do] ?? 0) + 1
      await take(t, world, step)
      // Requested after every change, so that a list that was cached too long is noticed.
      if (step.do !== 'restart' && step.do !== 'list') {
        await take(t, world, { do: 'list', who: step.who, limit: null, search: null, status: null })
      }
    }
    for (const who of [0, 1]) await take(t, world, { do: 'list', who, limit: null, search: null, status: null })
    await world.app.close()
  }), { numRuns: 14, seed: 5 })
  t.ok(Object.values(done).every((count) => count > 10), JSON.stringify(done))
})
