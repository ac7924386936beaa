import type { Test } from 'tap'
import { readConfig } from '../src/config.ts'
import { Refusal } from '../src/platform/errors.ts'
import { stageBytes, stageText } from '../src/sources/stage.ts'
import { openStores } from '../src/stores.ts'
import { fixedClock } from './helper.ts'
import { onAgents } from './stores/agents.ts'
import { agentNamed, once, type EveryStore, type OpenPeopled, type OpenStore } from './stores/every.ts'
import { onOutside } from './stores/outside.ts'
import { onPeople } from './stores/people.ts'
import { onTalks } from './stores/talks.ts'
import { onFiles } from './stores/files.ts'
import { onTickets } from './stores/tickets.ts'
import { onAfterwards } from './stores/afterwards.ts'

const failure = { code: 'timeout', message: 'Too slow.', retryable: true }
const RUNNING = { kinds: ['train'], lane: 'here', perOwner: 9 } as const
const OUTSIDE = { ...RUNNING, lane: 'outside' } as const

export { agentNamed }

/** The stores of a product opened with these settings, in its own directory. */
export async function openEveryStore (t: Test, settings: Record<string, string> = {}): Promise<EveryStore> {
  const limits = (bytes: number) => JSON.stringify({ free: bytes })
  const config = readConfig({
    AGENTHALL_TRAINING_LIMITS: limits(100), AGENTHALL_STORAGE_LIMITS: limits(300), ...settings
  })
  const { knowledge: { store, blobs }, ...stores } = await openStores({
    config, directory: t.testdir({}), clock: fixedClock()
  })
  t.teardown(stores.close)
  return {
    ...stores,
    knowledge: store,
    stageText: (text) => stageText(blobs, text),
    stageFile: (bytes) => stageBytes(blobs, Buffer.from(bytes), 'a.txt')
  }
}

/** Defines what every store must do, whatever its database. */
export function onEveryStore (t: Test, open: OpenStore) {
  const peopled: OpenPeopled = async (t, tier = 'free') => {
    const stores = await open(t)
    const [
      {
        user: { id: owner }
      },
      {
        user: { id: stranger }
      }
    ] = [await stores.access.createUser({ name: 'Ada', tier }), await stores.access.createUser({ name: 'Bob', tier })]
    const { answer: { agent: { id: agent } } } = await stores.agents.create(owner, agentNamed('Helper'))
    return { ...stores, owner, stranger, agent }
  }

  onPeople(t, peopled)
  onAgents(t, peopled)
  onTalks(t, peopled)
  onFiles(t, peopled)
  onTickets(t, peopled)
  onAfterwards(t, peopled)
  onOutside(t, peopled)

  t.test(
    'agents: made as decided or refused, once for one key; changed, deleted, and seen by their owner alone',
    async (t) => {
      const { agents, owner, stranger, agent } = await peopled(t)
      await t.rejects(agents.create(owner, new Refusal('feature_unavailable', 'No.')), { code: 'feature_unavailable' })
      const first = await agents.create(owner, agentNamed('Second'), once('a'))
      const again = await agents.create(
        owner, new Refusal('feature_unavailable', 'By now it would be refused.'), once('a')
      )
      t.same([again.replayed, again.answer.agent.id], [true, first.answer.agent.id])
      await t.rejects(agents.create(owner, agentNamed('x'), once('a', 'other')), { code: 'idempotency_mismatch' })
      t.equal(await agents.count(owner, {}), 2)

      const before = await agents.revision(owner)
      const changed = await agents.update(owner, agent, (kept) => ({
        ...kept, name: 'Renamed', search_text: 'renamed'
      }))
      t.match(changed?.agent, { name: 'Renamed', owner, id: agent })
      t.ok((await agents.revision(owner) ?? 0) > (before ?? 0))
      const version = changed?.agent.version
      t.equal(
        (await agents.update(owner, agent, (kept) => kept))?.agent.version, version, 'the same again is no change'
      )
      await t.rejects(
        agents.update(owner, agent, () => {
          throw new Refusal('conflict', 'No.')
        }),
        { code: 'conflict' }
      )
      t.same(
        (await agents.slice(owner, { search: 'RENAMED' }, 0, 9)).map(({ agent: { id } }) => id), [agent]
      )
      t.same(
        (await agents.page(owner, {}, 1, 9)).map(({ agent: { id } }) => id), [first.answer.agent.id]
      )

      const seen: unknown[] = []
      t.equal(await agents.get(stranger, agent), undefined)
      t.equal(
        await agents.update(stranger, agent, (kept) => {
          seen.push(kept)
          return kept
        }),
        undefined
      )
      t.equal(
        await agents.delete(stranger, agent, (kept) => {
          seen.push(kept)
        }),
        false
      )
      t.same([seen, await agents.count(stranger, {}), await agents.revision(999)], [[], 0, undefined])
      t.equal(await agents.delete(owner, agent, () => undefined), true)
      t.equal(await agents.get(owner, agent), undefined)
    }
  )

  t.test('sources: added all or none, counted to the byte, refused beyond each limit, and gone with what they kept', async (t) => {
    const { agents, knowledge, owner, stranger, agent, stageText, stageFile } = await peopled(t)
    const add = async (bytes: number, more: object = {}) =>
      await knowledge.add(owner, agent, [{ type: 'text', text: await stageText('x'.repeat(bytes)), ...more }])
    const [source] = (await add(60, { title: 'Sixty' }))?.answer ?? []
    t.match(source, { title: 'Sixty', status: 'Pending', total_training_usage_bytes: 60, owner, agent })
    await t.rejects(add(41), { code: 'training_limit_exceeded', fields: { used: 60, asked: 41, allowed: 100 } })
    await t.rejects(add(1, { folder: 999 }), { code: 'VALIDATION_ERROR' })
    const two = [
      { type: 'text' as const, text: await stageText('y'.repeat(20)) },
      { type: 'text' as const, text: await stageText('y'.repeat(21)) }
    ]
    await t.rejects(knowledge.add(owner, agent, two), { code: 'training_limit_exceeded' }, 'both or none')
    await add(90, { is_selected: false })
    t.same(
      [await knowledge.room(owner, agent), await knowledge.storage(owner)],
      [
        { used: 60, allowed: 100 }, { used: 150, allowed: 300 }
      ]
    )
    const file = () => stageFile('z'.repeat(151))
    await t.rejects(knowledge.add(owner, agent, [{ type: 'docs', title: 'f', file: await file() }]), {
      code: 'storage_limit_exceeded', fields: { used: 150, asked: 151, allowed: 300 }
    })
    t.equal((await knowledge.list(owner, agent, {}, 0, 9))?.total, 2)

    const sid = source!.id
    t.match(await knowledge.update(owner, agent, sid, { text: await stageText('x'.repeat(100)) }), {
      total_training_usage_bytes: 100
    })
    t.match(await knowledge.update(owner, agent, sid, { is_selected: false, title: 'Aside' }), {
      title: 'Aside', is_selected: false
    })
    await t.rejects(knowledge.update(owner, agent, sid, { title: 'x' }, ['"another"']), { code: 'precondition_failed' })
    t.equal((await knowledge.room(owner, agent))?.used, 0)

    const whole = await knowledge.addAgent(
      owner, agentNamed('Whole'), [{ type: 'text', text: await stageText('hello') }], once('b')
    )
    t.match(whole.answer, { total: 1, sources: [{ plain_text: 'hello', title: 'hello' }] })
    t.equal((await knowledge.addAgent(owner, agentNamed('Whole'), [], once('b'))).replayed, true)
    const number = await agents.count(owner, {})
    await t.rejects(
      knowledge.addAgent(owner, agentNamed('None'), [{ type: 'text', text: await stageText('x'.repeat(101)) }]),
      { code: 'training_limit_exceeded' }
    )
    t.equal(await agents.count(owner, {}), number, 'nor the agent')

    for (const other of [stranger, 999]) {
      t.same(
        [
          await knowledge.get(other, agent, sid),
          await knowledge.list(other, agent, {}, 0, 9),
          await knowledge.add(other, agent, []),
          await knowledge.update(other, agent, sid, { title: 'x' }),
          await knowledge.retrain(other, agent, sid),
          await knowledge.room(other, agent),
          await knowledge.events(other, agent, 0)
        ],
        Array(7).fill(undefined)
      )
      t.same(
        [
          await knowledge.remove(other, agent, sid),
          await knowledge.training(other, agent),
          await knowledge.progress(other, agent, sid)
        ],
        [false, 0, 0]
      )
    }
    t.equal(await knowledge.remove(owner, agent, sid), true)
    t.equal(await knowledge.remove(owner, agent, sid), false)
    t.equal((await knowledge.storage(owner)).used, 95)
    t.match(JSON.parse((await knowledge.events(owner, agent, 0))!.at(-1)!.data), { type: 'removed', id: sid })
  })

  t.test('folders: one root, names that differ, and what is in one that goes moves up', async (t) => {
    const { knowledge, owner, stranger, agent, stageText } = await peopled(t)
    const [root] = await knowledge.folders(owner, agent) ?? []
    t.match(root, { parent: null })
    const shop = (await knowledge.addFolder(owner, agent, 'Shop', undefined, once('c')))!.answer
    t.equal((await knowledge.addFolder(owner, agent, 'Shop', undefined, once('c')))?.replayed, true)
    await t.rejects(knowledge.addFolder(owner, agent, 'Shop', undefined), { code: 'taken' })
    const prices = (await knowledge.addFolder(owner, agent, 'Prices', shop.id))!.answer
    await t.rejects(knowledge.updateFolder(owner, agent, shop.id, { parent: prices.id }), { code: 'folder_cycle' })
    t.match(await knowledge.updateFolder(owner, agent, prices.id, { name: 'Fees' }), { name: 'Fees', parent: shop.id })
    const [source] = (await knowledge.add(owner, agent, [
      { type: 'text', text: await stageText('a'), folder: shop.id }
    ]))!.answer
    await t.rejects(knowledge.removeFolder(owner, agent, root!.id), { code: 'root_folder' })
    t.same(
      [
        await knowledge.folders(stranger, agent),
        await knowledge.addFolder(stranger, agent, 'x', undefined),
        await knowledge.updateFolder(stranger, agent, shop.id, {})
      ],
      Array(3).fill(undefined)
    )
    t.equal(await knowledge.removeFolder(stranger, agent, shop.id), false)
    t.equal(await knowledge.removeFolder(owner, agent, shop.id), true)
    const moved = await knowledge.get(owner, agent, source!.id)
    t.equal(moved?.agent_knowledge_folder, root?.id)
    t.ok(moved!.version > source!.version)
    t.match(await knowledge.folders(owner, agent), [{ id: root?.id }, { name: 'Fees', parent: root?.id }])
  })

  t.test('training: what a job finds is written while somebody wants it, and not after that', async (t) => {
    const { knowledge, jobs: queue, owner, agent, stageFile } = await peopled(t)
    const site = (await knowledge.add(owner, agent, [
      {
        type: 'website',
        title: 'https://a.test/',
        urls: ['https://a.test/'],
        crawl: { depth: 1, count: 9, refresh_hours: null, include: [], exclude: [] }
      }
    ]))!.answer[0]!
    const claim = async () => await queue.claim(OUTSIDE) ?? await queue.claim(RUNNING)
    const status = async () => (await knowledge.get(owner, agent, site.id))?.status
    const old = await claim()
    t.match(old, { kind: 'train', subject: site.id, owner })
    t.equal(await knowledge.training(owner, agent), 1)
    t.match(await knowledge.begin(old!), { id: site.id, status: 'Processing' })
    await knowledge.retrain(owner, agent, site.id)
    for (const event of [
      { kind: 'failed', error: failure }, { kind: 'unchanged', fetched: {} }, { kind: 'postponed', error: failure }
    ] as const) { t.equal(await knowledge.happened(old!, event), false, event.kind) }
    t.equal(
      await knowledge.keepChild(old!, { key: 'https://a.test/1', title: null, fetched: {}, changed: true }),
      'unwanted'
    )
    t.same([await status(), await knowledge.begin(old!)], ['Pending', undefined])

    const job = await claim()
    await knowledge.begin(job!)
    const child = async (key: string) =>
      await knowledge.keepChild(job!, {
        key, title: key, file: await stageFile('<p>x</p>'), fetched: {}, changed: true
      })
    t.same([await child('https://a.test/1'), await child('https://a.test/2')], ['kept', 'kept'])
    const pages = async () =>
      (await knowledge.list(owner, agent, { parent: site.id }, 0, 9))?.items.map(({ urls }) => urls[0])
    t.same(await pages(), ['https://a.test/1', 'https://a.test/2'])
    t.equal(
      await knowledge.keepChild(job!, { key: 'https://a.test/1', title: null, fetched: {}, changed: false }),
      'kept'
    )
    const [first] = (await knowledge.list(owner, agent, { parent: site.id }, 0, 1))?.items ?? []
    t.equal(await knowledge.remove(owner, agent, first!.id), true)
    t.same(
      [await child('https://a.test/1'), await pages()],
      ['removed', ['https://a.test/2']],
      'what a person removed stays so'
    )
    t.equal(
      await knowledge.happened(job!, { kind: 'listed', keys: ['https://a.test/2'], title: 'Shop', fetched: {} }),
      true
    )
    t.same(
      [await pages(), (await knowledge.get(owner, agent, site.id))?.title, await status()],
      [['https://a.test/2'], 'Shop', 'Success']
    )
    t.equal(await knowledge.happened(job!, { kind: 'failed', error: failure }), false, 'the job has ended')
    const page = await claim()
    t.match(await knowledge.sourceOf(page!), { parent_knowledge_source: site.id })
    await knowledge.end(page!)
    t.equal(await claim(), undefined)
  })

  t.test('a business: the defaults until something is set, each account its own, and no change is lost', async (t) => {
    const { business, owner, stranger } = await peopled(t)
    const before = await business.get(stranger)
    const changed = await business.change(owner, (kept) => ({ ...kept, name: 'Lamps', time_zone: 'Europe/Berlin' }))
    t.match(changed, { name: 'Lamps', time_zone: 'Europe/Berlin' })
    t.same(await business.get(owner), changed)
    await t.rejects(business.change(owner, () => { throw new Refusal('conflict', 'No.') }), { code: 'conflict' })
    t.same(await business.get(owner), changed, 'what is refused changes nothing')
    await Promise.all(Array.from({ length: 20 }, () =>
      business.change(owner, (kept) => ({ ...kept, name: `${kept.name}+` }))))
    t.equal((await business.get(owner)).name, `Lamps${'+'.repeat(20)}`)
    t.same(await business.get(stranger), before)
  })

  t.test('saved replies: once for one key, seen by the team or their maker alone, changed as they are meant', async (t) => {
    const { replies, owner, stranger } = await peopled(t)
    const draft = { key: 'shipping', texts: { en: 'On its way.' } }
    const { answer } = await replies.add(owner, owner, draft, once('r'))
    t.match(await replies.add(owner, owner, draft, once('r')), { replayed: true, answer: { id: answer.id } })
    await t.rejects(replies.add(owner, owner, draft, once('r', 'other')), { code: 'idempotency_mismatch' })
    await t.rejects(replies.add(owner, owner, draft), { code: 'taken' })
    const mine = (await replies.add(owner, owner, { ...draft, key: 'a', scope: 'mine' })).answer
    t.same((await replies.list(owner, owner)).map(({ key }) => key), ['a', 'shipping'])
    t.same((await replies.list(owner, stranger)).map(({ key }) => key), ['shipping'], 'to others of the team')
    t.same(await replies.list(stranger, stranger), [], 'to another account')
    t.equal(await replies.get(owner, stranger, mine.id), undefined)
    t.equal(await replies.change(stranger, stranger, answer.id, { key: 'b' }), undefined)
    const other = () => { throw new Refusal('precondition_failed', 'It is another one.') }
    await t.rejects(replies.change(owner, owner, answer.id, { key: 'b' }, other), { code: 'precondition_failed' })
    t.match(
      await replies.change(owner, owner, answer.id, { texts: { de: 'Unterwegs.' } }),
      { key: 'shipping', texts: { en: 'On its way.', de: 'Unterwegs.' } }
    )
    t.equal(await replies.remove(stranger, stranger, answer.id), false)
    t.equal(await replies.remove(owner, owner, answer.id), true)
    t.equal(await replies.get(owner, owner, answer.id), undefined)
  })

  t.test('webhooks: made once for one key, signed with the newest secret first, each account its own', async (t) => {
    const { webhooks, owner, stranger } = await peopled(t)
    const draft = { url: 'https://example.com/hook', events: ['message.completed' as const] }
    const { answer } = await webhooks.add(owner, draft, once('w'))
    t.match(await webhooks.add(owner, draft, once('w')), {
      replayed: true, answer: { id: answer.id, secret: answer.secret }
    })
    t.same(await webhooks.signed(owner, answer.id), { url: draft.url, secrets: [answer.secret] })
    const rotated = (await webhooks.rotate(owner, answer.id))!.answer
    t.same((await webhooks.signed(owner, answer.id))?.secrets, [rotated.secret, answer.secret])
    await t.rejects(webhooks.change(owner, answer.id, { url: 'https://10.0.0.1/' }), { code: 'VALIDATION_ERROR' })
    t.match(await webhooks.change(owner, answer.id, { url: 'https://example.org/' }), { url: 'https://example.org/' })
    t.equal(await webhooks.get(stranger, answer.id), undefined)
    t.equal(await webhooks.signed(stranger, answer.id), undefined)
    t.same(await webhooks.list(stranger), [])
    t.same([await webhooks.remove(stranger, answer.id), await webhooks.remove(owner, answer.id)], [false, true])
    t.same(await webhooks.list(owner), [])
  })
}
