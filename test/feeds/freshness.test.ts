import t from 'tap'
import { contradicts } from '../../src/feeds/fresh/contradict.ts'
import { staleOf } from '../../src/feeds/rules.ts'
import { fed } from './helper.ts'

const DAY = 86_400_000

t.test('a source may not hold any more for one of four reasons', async (t) => {
  const age = { stale: null, contradicts: null, reviewBy: null, checkedOn: '2026-01-01', cited: 0 }
  t.equal(staleOf(age, '2027-01-01'), null, 'what nobody asks for may be as old as it likes')
  t.equal(staleOf({ ...age, cited: 5 }, '2026-03-31'), null)
  t.equal(staleOf({ ...age, cited: 5 }, '2026-04-01'), 'unchecked')
  t.equal(staleOf({ ...age, reviewBy: '2026-05-03' }, '2026-05-03'), null)
  t.equal(staleOf({ ...age, reviewBy: '2026-05-03' }, '2026-05-04'), 'old')
  t.equal(staleOf({ ...age, reviewBy: '2026-05-03', contradicts: 4 }, '2026-05-04'), 'contradicts')
  t.equal(staleOf({ ...age, stale: 'unreachable', contradicts: 4 }, '2026-05-04'), 'unreachable')
  t.equal(staleOf({ ...age, stale: 'old' }, '2026-05-04'), null, 'it is looked at anew each day')
})

t.test('two passages contradict each other where they say other figures about the same', async (t) => {
  const a = 'Our shop is in Bonn. Returns are accepted within 30 days of delivery.'
  t.ok(contradicts(a, 'Returns are accepted within 14 days of delivery. We ship everywhere.'))
  t.ok(contradicts('Der Umtausch ist bis zum 31.12.2026 möglich.', 'Der Umtausch ist bis zum 31.01.2027 möglich.'))
  t.notOk(contradicts(a, 'Returns are accepted within 30 days of delivery.'))
  t.notOk(contradicts(a, 'Returns are accepted within 30 days of delivery, or 60 days for members.'), 'more is no contradiction')
  t.notOk(contradicts(a, 'Parcels weigh up to 14 kilograms and leave at noon.'))
  t.notOk(contradicts(a, 'Returns are accepted.'))
  t.notOk(contradicts('1 2 3', '4 5 6'))
  // Linear in what it reads, whatever that is.
  const begun = performance.now()
  contradicts('a1 bcd efg hij klm nop 1. '.repeat(100_000), 'a1 bcd efg hij klm nop 2. '.repeat(100_000))
  t.ok(performance.now() - begun < 200)
})

t.test('once a day it is told what is old, and what contradicts what', async (t) => {
  const { me, at, id, settled, after, sources, stores, clock, write, watch } = await fed(t)
  const add = async (text: string) => {
    const made = (await me.post(`${at}/knowledge_sources`, { plain_text: text })).json().data[0].id as number
    await settled()
    return made
  }
  const a = await add('Returns are accepted within 30 days of delivery.')
  const b = await add('Returns are accepted within 14 days of delivery.')
  const c = await add('Our phone number is on the last page of the catalogue.')
  await me.post(`${at}/questions`, { text: 'Within how many days of delivery are returns accepted?', expect: { sources: [a] } })
  t.equal((await me.put(`${at}/knowledge_sources/${c}`, { review_by: '2026-02-30' })).statusCode, 400)
  t.equal((await me.put(`${at}/knowledge_sources/${c}`, { review_by: '2026-01-10' })).json().data.review_by, '2026-01-10')
  await after(2 * DAY)
  const stale = async () => (await me.get(`${at}/knowledge/stale`)).json().data
  t.match(await stale(), [{ id: a, stale: 'contradicts', contradicts: b }, { id: b, contradicts: a, stale: 'contradicts' }])
  await after(12 * DAY)
  t.match((await stale())[2], { id: c, stale: 'old', review_by: '2026-01-10' })
  // A question that it answers says which day it is from.
  t.match(await stores.knowledge.search(me.id, id, 'phone number catalogue', 1), [{ source: c, asOf: '2026-01-01' }])
  await me.put(`${at}/knowledge_sources/${c}`, { review_by: '2027-01-10' })
  t.equal((await stale()).length, 2, 'whoever sets another day has looked at it')
  await me.delete(`${at}/knowledge_sources/${b}`)
  await after(2 * DAY)
  t.equal((await stale()).length, 0)

  // In a folder with its own day, all sources without one.
  const [root] = (await me.get(`${at}/knowledge_folders`)).json().data
  t.equal((await me.put(`${at}/knowledge_folders/${root.id}`, { review_by: '2026-02-30' })).statusCode, 400)
  await me.put(`${at}/knowledge_folders/${root.id}`, { review_by: '2026-01-02' })
  await after(2 * DAY)
  t.match(await stale(), [{ id: a, stale: 'old' }])

  await me.put(`${at}/knowledge_folders/${root.id}`, { review_by: null })

  // Often cited and never checked.
  write('page.md', 'Gift cards never expire at all.')
  await watch({ every: '30d' })
  const fedSource = (await sources()).find(({ feed }) => feed !== null)!
  const day = Math.floor(clock.micros() / 86_400_000_000)
  stores.db.raw.prepare("insert into figures (agent_id, owner_id, day, name, key, n) values (?, ?, ?, 'source', ?, 7)").run(id, me.id, day + 60, fedSource.id)
  await me.patch(`${at}/feeds/1`, { paused: true })
  await after(91 * DAY)
  t.match((await stale()).find((one: { id: number }) => one.id === fedSource.id), { stale: 'unchecked', cited: 7 })
  t.equal((await me.get('/v1/agents/99/knowledge/stale')).statusCode, 404)
})

t.test('the report says what was not known, and what knows nobody asks for', async (t) => {
  const { me, at, id, write, watch, stores, clock, sources, after } = await fed(t)
  write('page.md', 'Gift cards never expire at all.')
  write('other.md', 'Zebras are striped.')
  await watch()
  const cited = (await sources()).find(({ origin_key: key }) => key === 'page.md')!
  const day = Math.floor(clock.micros() / 86_400_000_000)
  const count = stores.db.raw.prepare('insert into figures (agent_id, owner_id, day, name, key, n) values (?, ?, ?, ?, ?, ?) on conflict (agent_id, day, name, key) do update set n = excluded.n')
  count.run(id, me.id, day, 'source', cited.id, 3)
  count.run(id, me.id, day, 'messages.agent', 0, 8)
  count.run(id, me.id, day, 'unknown', 0, 2)
  count.run(id, me.id, day - 8, 'messages.agent', 0, 4)
  count.run(id, me.id, day - 8, 'unknown', 0, 3)
  const gaps = (await me.get(`${at}/knowledge/gaps`)).json().data
  t.match(gaps, { answers: 8, unknown: 2, known_share: 0.75, known_share_before: 0.25, never_cited: [{ title: 'other.md' }] })
  t.equal(gaps.never_cited.length, 1)
  await after(10 * DAY)
  t.match((await me.get(`${at}/knowledge/gaps`)).json().data, { answers: 0, known_share: null, questions: [] })
  t.equal((await me.get('/v1/agents/99/knowledge/gaps')).statusCode, 404)
})
