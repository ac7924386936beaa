import t from 'tap'
import type { Work } from '../../src/platform/storage/work.ts'
import { exportOf } from '../../src/privacy/export.ts'
import { keeping } from './helper.ts'

type Stores = Awaited<ReturnType<typeof keeping>>['stores']

/**
 * How many conversations and visitors each commit of some work removes. `stepMs`: how much time passes on each reading
 * of the clock.
 */
async function removedBy ({ db }: Stores, stepMs: number, work: () => Promise<unknown>) {
  const count = (table: string) => db.column<[], number>(`select count(*) from ${table}`).get()
  function * now () {
    return { conversations: (yield * count('conversations'))!, visitors: (yield * count('visitors'))! }
  }
  const removed: Record<'conversations' | 'visitors', number[]> = { conversations: [], visitors: [] }
  const { atomically } = db
  const { now: time } = performance
  db.atomically = ((piece: () => Work<unknown>, options: object) => atomically(function * () {
    const before = yield * now()
    const done = yield * piece()
    const left = yield * now()
    for (const table of ['conversations', 'visitors'] as const) {
      if (before[table] > left[table]) removed[table].push(before[table] - left[table])
    }
    return done as never
  }, options)) as never
  let ms = 0
  performance.now = () => (ms += stepMs)
  try {
    await work()
  } finally {
    performance.now = time
    db.atomically = atomically
  }
  return removed
}

t.test('a commit of retention or of an erasure removes what takes 2 ms, and at most what 100 rows hold', async (t) => {
  // Was wrong with slices of two seconds, and with slices of 100,000 rows.
  const { visitor, begin, live, stores, clock, me } = await keeping(t)
  const { privacy: { store }, db: { portion: { times } } } = stores
  const silent = async (count: number) => {
    for (let i = 0; i < count; i++) await begin(await visitor({ name: `V${i}` }))
    await live(0)
    clock.advance(31 * 24 * 60 * 60_000)
  }
  const retained = async (stepMs: number) =>
    await removedBy(stores, stepMs * times, async () => await store.retain(new AbortController().signal))
  await silent(129)
  t.strictSame(await retained(0), { conversations: [100, 30], visitors: [100, 29] }, 'where no time passes')
  await silent(8)
  t.strictSame(await retained(1), { conversations: [3, 3, 2], visitors: [3, 3, 2] }, 'where each takes a millisecond')

  const of = async (count: number) => {
    const id = await visitor()
    for (let i = 0; i < count; i++) await begin(id)
    return id
  }
  const erased = async (stepMs: number, id: string) =>
    await removedBy(stores, stepMs * times, async () => await store.erase(me.id, id))
  t.strictSame(await erased(0, await of(120)), { conversations: [100, 20], visitors: [1] })
  t.strictSame(await erased(1, await of(5)), { conversations: [3, 2], visitors: [1] })
})

t.test('an export reads 20 conversations and 50 messages at a time, and all of them', async (t) => {
  // Was wrong where it ended with the first part, and where it read all at once.
  const { me, visitor, begin, stores: { privacy: { exporting } } } = await keeping(t, null)
  const ada = await visitor()
  const long = await begin(ada)
  for (let i = 0; i < 51; i++) await me.post(`${long}/messages`, { text: `Hello ${i}` })
  for (let i = 0; i < 100; i++) await begin(ada)
  const { conversations } = exporting
  const limits = new Set<number>()
  const store: typeof conversations.store = {
    ...conversations.store,
    list: async (...about) => {
      limits.add(about[3])
      return await conversations.store.list(...about)
    },
    messages: async (...about) => {
      limits.add(about[3])
      return await conversations.store.messages(...about)
    }
  }
  const pieces: string[] = []
  const needs = { ...exporting, conversations: { ...conversations, store } }
  for await (const piece of (await exportOf(needs, me.id, ada))!) pieces.push(piece)
  const { conversations: told } = JSON.parse(pieces.join('')) as {
    conversations: Array<{ id: string, messages: Array<{ seq: number }> }>
  }
  t.equal(new Set(told.map(({ id }) => id)).size, 101)
  const { messages } = told.find(({ id }) => long.endsWith(id))!
  t.strictSame(messages.map(({ seq }) => seq), Array.from({ length: 102 }, (_, i) => i + 1))
  t.strictSame([...limits], [20, 50])
})
