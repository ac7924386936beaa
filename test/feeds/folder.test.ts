import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { fed } from './helper.ts'

t.test('a folder becomes sources, and they follow it', async (t) => {
  const { write, watch, look, texts, feed, sources, docs, trainings } = await fed(t)
  write('returns.md', 'Returns are accepted within 30 days.')
  write('deep/er/shipping.txt', 'Parcels arrive within two days.')
  write('picture.bin', 'no document')
  write('.hidden.md', 'hidden')
  const id = await watch()
  t.strictSame(await texts(), {
    'returns.md': 'Returns are accepted within 30 days.', 'deep/er/shipping.txt': 'Parcels arrive within two days.'
  })
  t.match(await feed(id), {
    kind: 'folder', state: 'idle', error: null, sources: 2, last: { seen: 2, new: 2, changed: 0, gone: 0, failed: 0, bytes: 67 }
  })
  t.match(await sources(), [{ type: 'docs', feed: id, training_status: 'Success', checked_at: /^2026/, changed_at: /^2026/, stale: null }, {}])

  const before = trainings()
  t.equal(await look(id), 202)
  t.match((await feed(id)).last, { seen: 2, new: 0, changed: 0, gone: 0 })
  t.equal(trainings(), before, 'what has not changed is not trained')

  write('returns.md', 'Returns are accepted within 14 days.')
  rmSync(path.join(docs, 'deep'), { recursive: true })
  write('new.md', 'Gift cards do not expire.')
  await look(id)
  t.strictSame(await texts(), { 'returns.md': 'Returns are accepted within 14 days.', 'new.md': 'Gift cards do not expire.' })
  const { last } = await feed(id)
  t.match(last, { seen: 2, new: 1, changed: 1, gone: 1, found_at: last!.at })
  t.strictSame(last!.found.map(({ what, source, title }) => [what, source === null, title]).toSorted(), [
    ['changed', false, 'returns.md'], ['gone', true, 'shipping.txt'], ['new', false, 'new.md']
  ])

  // Touched, and written with the same content: read again, and not trained.
  const then = trainings()
  write('new.md', 'Gift cards do not expire.')
  await look(id)
  t.equal(trainings(), then)
})

// Was wrong: a moved file was removed, and a new one added that nothing cited.
t.test('a file that is moved is the same source under another name, be it one or a whole folder', async (t) => {
  const { write, watch, look, sources, docs, feed, me, at, trainings, texts } = await fed(t)
  write('returns.md', 'Returns are accepted within 30 days.')
  write('shop/gifts.md', 'Gift cards do not expire.')
  const id = await watch()
  const before = await sources()
  const idOf = (all: Array<{ id: number, title: string }>, title: string) =>
    all.find((one) => one.title.includes(title))?.id
  const [returns, gifts] = [idOf(before, 'returns'), idOf(before, 'gifts')]
  await me.put(`${at}/knowledge_sources/${gifts}`, { title: 'Our gift cards' })
  const then = trainings()
  const said = Object.values(await texts()).toSorted()

  renameSync(path.join(docs, 'returns.md'), path.join(docs, 'refunds.md'))
  renameSync(path.join(docs, 'shop'), path.join(docs, 'store'))
  await look(id)
  const after = await sources()
  t.equal(idOf(after, 'refunds'), returns, 'it keeps its number, and is called as it is there')
  t.equal(idOf(after, 'Our gift cards'), gifts, 'and as a person has called it, where one has')
  t.equal(after.length, 2)
  t.match(await feed(id), { state: 'idle', awaiting_removal: 0, last: { new: 0, changed: 2, gone: 0 } })
  t.equal(trainings(), then, 'nothing is trained')
  t.strictSame(Object.values(await texts()).toSorted(), said)
  await look(id)
  t.match((await feed(id)).last, { new: 0, changed: 0, gone: 0 }, 'and looked at again it is known')

  // Copied and then one of them removed: neither is mistaken for the other.
  write('copy.md', 'Returns are accepted within 30 days.')
  await look(id)
  t.equal((await sources()).length, 3)
})

t.test('a folder that vanishes takes nothing away, nor one that is empty all at once', async (t) => {
  const { write, watch, look, after, texts, feed, docs, root, me, at, settled, sources, told } = await fed(t)
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['feed.broken', 'knowledge.changed'] })
  for (const n of [1, 2, 3]) write(`${n}.md`, `Page ${n} says something.`)
  const id = await watch()
  const whole = await texts()
  t.match(told('knowledge.changed'), [{ refs: { feed: id, sources: [1, 2, 3], questions_affected: [] } }])

  renameSync(docs, path.join(root, 'away'))
  await look(id)
  t.match(await feed(id), { state: 'idle', error: { code: 'unavailable', message: /What was learnt from it stays/ } })
  await after(5 * 60_000)
  t.match((await sources())[0], { stale: null })
  await after(5 * 60_000)
  t.match(await feed(id), { state: 'broken', last: { seen: 3 } })
  t.match(await sources(), [{ stale: 'unreachable' }, { stale: 'unreachable' }, { stale: 'unreachable' }])
  t.strictSame(await texts(), whole)
  await after(12 * 3_600_000)
  t.equal(told('feed.broken').length, 1, 'it is told once')

  mkdirSync(docs)
  await look(id)
  t.match(await feed(id), { state: 'paused', awaiting_removal: 3, error: null })
  t.strictSame(await texts(), whole)
  t.equal(await look(id), 409)

  renameSync(path.join(root, 'away', '1.md'), path.join(docs, '1.md'))
  t.equal((await me.post(`${at}/feeds/${id}/approve_removal`)).statusCode, 202)
  await settled()
  t.match(await texts(), { '1.md': 'Page 1 says something.' }, 'what has come back stays')
  t.equal((await sources()).length, 1)
  t.match(await feed(id), { state: 'idle', awaiting_removal: 0, last: { gone: 2 } })
  t.equal((await me.post(`${at}/feeds/${id}/approve_removal`)).statusCode, 409)
})

t.test('more than a fifth of many that is gone at once waits for a person', async (t) => {
  const { write, watch, look, feed, docs, sources, me, at, settled } = await fed(t)
  for (let n = 0; n < 40; n++) write(`${n}.md`, `Page ${n} says something.`)
  const id = await watch()
  for (let n = 0; n < 8; n++) rmSync(path.join(docs, `${n}.md`))
  await look(id)
  t.match(await feed(id), { state: 'idle', last: { gone: 8 } })
  for (let n = 8; n < 15; n++) rmSync(path.join(docs, `${n}.md`))
  write('0.md', 'New, and it waits until the feed goes on.')
  await look(id)
  t.match(await feed(id), { state: 'paused', awaiting_removal: 7, next_at: null, last: { gone: 0, new: 1 } })
  t.equal((await sources()).length, 33)
  // Files removed after a person has looked were not approved.
  for (let n = 15; n < 30; n++) rmSync(path.join(docs, `${n}.md`))
  await me.post(`${at}/feeds/${id}/approve_removal`)
  await settled()
  t.match(await feed(id), { state: 'paused', awaiting_removal: 15, last: { gone: 7 } })
  t.equal((await sources()).length, 26)
  // Enabled again, what is missing has to be confirmed again.
  t.equal((await me.patch(`${at}/feeds/${id}`, { paused: false })).json().data.state, 'idle')
  await settled()
  t.match(await feed(id), { state: 'paused', awaiting_removal: 15 })
})

t.test('nothing outside the folder is read', async (t) => {
  const { write, watch, texts, docs, root, make, me, at, feed } = await fed(t)
  writeFileSync(path.join(root, 'elsewhere', 'secret.md'), 'The secret word is heron.')
  symlinkSync(path.join(root, 'elsewhere', 'secret.md'), path.join(docs, 'link.md'))
  symlinkSync(path.join(root, 'elsewhere'), path.join(docs, 'linked'))
  symlinkSync(path.join(docs, 'nowhere.md'), path.join(docs, 'broken.md'))
  symlinkSync(docs, path.join(docs, 'circle'))
  write('own.md', 'Own words.')
  symlinkSync(path.join(docs, 'own.md'), path.join(docs, 'alias.md'))
  await watch()
  // Was wrong without the check of the real path: link.md contained the secret word.
  t.strictSame(await texts(), { 'own.md': 'Own words.', 'alias.md': 'Own words.' })

  for (const place of [path.join(root, 'elsewhere'), `${docs}/../elsewhere`, '/etc', `${docs}x`]) {
    const answer = await me.post(`${at}/feeds`, { name: 'x', kind: 'folder', config: { path: place } })
    t.equal(answer.statusCode, 400, place)
    t.match(answer.body, /config\.path is not in a folder that may be watched.*AGENTHALL_FOLDERS/)
  }
  const linked = await make({ kind: 'folder', config: { path: path.join(docs, 'linked') } })
  t.match(await feed(linked), { state: 'broken', error: { code: 'not_allowed' }, next_at: null, sources: 0 })
})

t.test('a file that is being written is left until it is quiet, and is not gone meanwhile', async (t) => {
  const { write, watch, look, after, texts, clock, feed, docs } = await fed(t)
  write('page.md', 'Whole.')
  const id = await watch()
  const now = () => new Date(clock.micros() / 1000)
  writeFileSync(path.join(docs, 'page.md'), 'Half of wh')
  utimesSync(path.join(docs, 'page.md'), now(), now())
  await look(id)
  t.strictSame(await texts(), { 'page.md': 'Whole.' })
  t.match((await feed(id)).last, { seen: 1, changed: 0, gone: 0, failed: 0 })
  await after(2000)
  t.strictSame(await texts(), { 'page.md': 'Half of wh' }, 'it is looked at again by itself')
})

t.test('what a person has removed stays away, and what they have named or deselected stays so', async (t) => {
  const { write, watch, look, texts, sources, me, at } = await fed(t)
  write('a.md', 'Page a.')
  write('b.md', 'Page b.')
  const id = await watch()
  const [a, b] = await sources()
  const of = (key: string) => [a, b].find((one) => one!.origin_key === key)!.id
  await me.delete(`${at}/knowledge_sources/${of('a.md')}`)
  await me.put(`${at}/knowledge_sources/${of('b.md')}`, { title: 'Mine', is_selected: false })
  write('a.md', 'Page a, changed.')
  write('b.md', 'Page b, changed.')
  await look(id)
  t.strictSame(await texts(), { 'b.md': 'Page b, changed.' })
  t.match(await sources(), [{ title: 'Mine', is_selected: false }])
})
