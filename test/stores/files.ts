import type { Test } from 'tap'
import { sqliteConfigStore } from '../../src/config-as-code/store.sqlite.ts'
import type { Kept } from '../../src/config-as-code/store.ts'
import { agentNamed, ids, type OpenPeopled } from './every.ts'

const WORDS = 'Schön – 完璧, "идеально" 🎉 %_\\'
const AT = '2026-01-01T00:00:00.000000Z'
const LARGEST = Number.MAX_SAFE_INTEGER
const P256DH = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const LOOKING = { kinds: ['feed'], lane: 'outside', perOwner: 9 } as const

const visitOf = (url: string) => (
  { [url]: { url, etag: null, lastModified: null, contentHash: 'a'.repeat(64), title: WORDS, links: '' } })

/** Defines the contract of files and feeds, and of where browsers are notified. */
export function onFiles (t: Test, peopled: OpenPeopled) {
  t.test('files: everything by its key, what they hold in the place of what they held, of their account alone', async (t) => {
    const { db, agents, knowledge, business, owner, stranger, agent, stageText } = await peopled(t)
    const store = sqliteConfigStore({ db })
    await business.change(owner, (kept) => ({ ...kept, name: WORDS }))
    const [source] = (await knowledge.add(owner, agent, [{ type: 'text', text: await stageText('a') }]))!.answer
    const other = (await agents.create(owner, agentNamed('Second'))).answer.agent.id
    const standing = await store.standing(owner)
    t.same(new Set(standing.map(({ kind, id }) => `${kind} ${id}`)), new Set([
      `business ${owner}`, `agent ${agent}`, `agent ${other}`, `source ${source!.id}`
    ]))
    t.same(await db.atomically(() => store.standingNow(owner)), standing)
    const keyOf = async (id: number) => (await store.standing(owner)).find((one) => one.kind === 'agent' && one.id === id)!.key
    const [a, b] = [await keyOf(agent), await keyOf(other)]
    const swap = [{ kind: 'agent' as const, id: agent, key: b }, { kind: 'agent' as const, id: other, key: a }]
    await db.atomically(() => store.rename(stranger, swap))
    t.same(await keyOf(agent), a, 'by nobody else')
    await db.atomically(() => store.rename(owner, swap))
    t.same([await keyOf(agent), await keyOf(other)], [b, a], 'so that two take each other\'s')
    const named = { agent: b, sources: [source!.id, LARGEST] }
    t.same(ids(await store.named(owner, named)), [agent, source!.id])
    t.same(await db.atomically(() => store.namedNow(owner, named)), await store.named(owner, named))
    t.match(await db.atomically(() => store.folders(owner, agent)), [{ parent: null }])

    const kept = (id: number, more: Partial<Kept> = {}): Kept =>
      ({ kind: 'agent', id, place: `agents/${id}`, file: WORDS, isMade: true, isLocked: false, stamp: '1.0', at: AT, ...more })
    const all = [kept(agent, { isLocked: true, place: WORDS }), kept(LARGEST)]
    await db.atomically(() => store.keep(owner, [kept(other)]))
    await db.atomically(() => store.keep(owner, all))
    const byId = (list: Kept[]) => [...list].sort((one, two) => one.id - two.id)
    t.same(byId(await store.kept(owner)), all)
    t.same(await store.lockOf(owner, 'agent', agent), WORDS)
    t.equal(await store.lockOf(owner, 'agent', LARGEST), undefined, 'which anybody may change')
    t.equal(await store.last(owner), null)
    const applied = { by: 'session' as const, ref: WORDS, changes: 3, at: AT }
    for (const user of [null, owner]) await db.atomically(() => store.note(owner, { ...applied, user }))
    t.match(await store.last(owner), { ...applied, who: { id: owner, name: 'Ada' } })
    t.same(await db.atomically(() => store.lastNow(owner)), await store.last(owner))
    const undone = db.atomically(function * () {
      yield * store.keep(owner, [])
      throw new Error('No.')
    })
    await t.rejects(undone)
    t.equal((await store.kept(owner)).length, 2, 'what is refused changes nothing')
    t.same(
      [
        await store.standing(stranger),
        await store.named(stranger, named),
        await store.kept(stranger),
        await store.last(stranger),
        await store.lockOf(stranger, 'agent', agent),
        await db.atomically(() => store.folders(stranger, agent))
      ],
      [[], [], [], null, undefined, []]
    )
    await db.atomically(() => store.keep(owner, []))
    t.same([await store.kept(owner), await store.lockOf(owner, 'agent', agent)], [[], undefined])
  })

  t.test('pushing: to the browser of one session alone, changed and taken back, its address shown to nobody', async (t) => {
    const { push, signIn, owner, stranger } = await peopled(t)
    const session = async (user: number) => (await signIn.begin(user, 'Firefox'))!.session.id
    const [first, second, theirs] = [await session(owner), await session(owner), await session(stranger)]
    const at = (host: string) =>
      ({ endpoint: `https://${host}/send/quagga`, keys: { p256dh: P256DH, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } })
    t.match(await push.get(owner, first), { host: null, since: null })
    const set = await push.set(owner, first, at('push.example.com'))
    t.match(set, { host: 'push.example.com', since: String })
    t.notMatch(JSON.stringify(set), 'quagga')
    t.same(await push.get(owner, first), set)
    t.match(await push.get(owner, second), { host: null }, 'of another session')
    await t.rejects(push.set(owner, first, at('10.0.0.1')), { code: 'VALIDATION_ERROR' })
    const noKey = { ...at('b.example.com'), keys: { p256dh: 'A'.repeat(87), auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }
    await t.rejects(push.set(owner, first, noKey), { code: 'VALIDATION_ERROR' })
    t.same(await push.get(owner, first), set, 'as it was')
    t.match(await push.set(owner, first, at('b.example.com')), { host: 'b.example.com' })
    await push.set(owner, second, at('c.example.com'))
    t.same([await push.hosts(owner), await push.hosts(stranger)], [['b.example.com', 'c.example.com'], []])
    await push.set(stranger, theirs, at('b.example.com'))
    t.match(await push.get(owner, first), { host: null }, 'whose browser is somebody else\'s by now')
    t.match(await push.remove(stranger, second), { host: null })
    t.match(await push.get(owner, second), { host: 'c.example.com' }, 'which nobody else takes back')
    t.match(await push.remove(owner, second), { host: null, since: null })
    t.same(await push.hosts(owner), [])
  })

  t.test('looks at feeds: what is found is kept once, while somebody wants it, and the next look follows', async (t) => {
    const { feeds: { store }, jobs, knowledge, owner, stranger, agent, stageFile } = await peopled(t, 'enterprise')
    const draft = { name: 'Help', kind: 'sitemap' as const, config: { url: 'https://shop.example/sitemap.xml' }, every: '6h' as const }
    const { id: feed } = (await store.add(owner, agent, draft))!.answer
    const claim = async () => (await jobs.claim(LOOKING))!
    const item = async (key: string, title = key) => ({
      key, type: 'website' as const, url: key, title, file: await stageFile('<p>x</p>'), fetched: visitOf(key), changedAt: null, titleBefore: null
    })
    const job = await claim()
    t.match(await store.begin(job), { feed: { id: feed, state: 'looking' }, known: [] })
    const [one, two] = ['https://shop.example/1', 'https://shop.example/2'] as const
    const made = await store.keep(job, await item(one, WORDS))
    t.match(made, { isNew: true })
    t.same(await store.keep(job, await item(one, WORDS)), { ...made as object, isNew: false })
    await store.keep(job, await item(two))
    const [source] = (await knowledge.list(owner, agent, {}, 0, 9))!.items
    t.equal(source?.title, WORDS)
    const moved = (id: number, from: string) => ({ id, from, key: `${one}/new`, title: 'New', titleBefore: null, changedAt: null, fetched: visitOf(from) })
    t.equal(await store.move(job, moved(source!.id, one)), 'moved')
    t.equal(await store.hint(owner, feed), false, 'while a look is under way')
    const outcome = {
      gone: { removed: [], marked: [], asks: 0 },
      checked: [],
      missed: [],
      sources: [source!.id],
      cursor: WORDS,
      again: null,
      fault: null,
      look: { seen: 2, added: 2, changed: 0, unchanged: 0, failed: 0, found: [], waiting: [] } as never
    }
    await store.ended(job, outcome)
    t.match(await store.get(owner, agent, feed), { state: 'idle', next_at: String })
    t.equal(await store.keep(job, await item('https://shop.example/3')), 'unwanted')
    t.equal(await store.move(job, moved(source!.id, `${one}/new`)), 'unwanted')
    t.equal(await store.begin(job), undefined)
    t.equal(await jobs.claim(LOOKING), undefined, 'not before its time')
    t.equal(await store.hint(stranger, feed), true)
    t.equal(await jobs.claim(LOOKING), undefined, 'for nobody else')
    t.equal(await store.hint(owner, feed), true)
    const next = await claim()
    t.match(await store.begin(next), { feed: { cursor: WORDS }, known: [{ key: `${one}/new` }, { key: two }] })
    await knowledge.remove(owner, agent, source!.id)
    t.equal(await store.keep(next, await item(`${one}/new`)), 'excluded', 'what a person removed')
    await store.failed(next, { code: 'address_refused', message: WORDS, againInMs: null })
    t.match(await store.get(owner, agent, feed), { error: { message: WORDS } })
    t.same(await store.folders(), [])
  })

  t.test('how fresh sources are: judged a part at a time, stale ones oldest first, of their account alone', async (t) => {
    const { feeds: { store }, agents, knowledge, owner, stranger, agent, stageText } = await peopled(t)
    const drafts = await Promise.all(['a', 'b', 'c'].map(async (text) => ({ type: 'text' as const, text: await stageText(text), title: text })))
    const all = (await knowledge.add(owner, agent, drafts))!.answer.map(({ id }) => id)
    const [a, b, c] = all as [number, number, number]
    const found = new Map([[b, a], [c, a]])
    t.equal(await store.judge(stranger, agent, 0, 9, found), undefined)
    t.same(await store.stale(owner, agent), [], 'whom nobody else judges')
    for (const [after, last] of [[0, b], [b, c], [c, undefined]] as const) {
      t.equal(await store.judge(owner, agent, after, 2, found), last)
    }
    t.match(await store.stale(owner, agent), [{ id: b, contradicts: a }, { id: c, contradicts: a }])
    await store.judge(owner, agent, 0, 9, new Map())
    t.same(await store.stale(owner, agent), [])
    t.match(await store.week(owner, agent), { answers: 0, unknown: 0, known_share: null, known_share_before: null })
    t.same([await store.stale(stranger, agent), await store.week(stranger, agent)], [undefined, undefined])
    const other = (await agents.create(stranger, agentNamed('Theirs'))).answer.agent.id
    t.same(await store.agentsAfter(0, 1), [{ id: agent, owner }])
    t.same(await store.agentsAfter(agent, 9), [{ id: other, owner: stranger }])
    await agents.delete(stranger, other, () => {})
    t.same(await store.agentsAfter(agent, 9), [], 'none that is deleted')
  })
}
