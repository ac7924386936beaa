import type { Test } from 'tap'
import { Refusal } from '../../src/platform/errors.ts'
import { ids, inParts, once, type OpenPeopled } from './every.ts'

const NOT_THIS = () => { throw new Refusal('precondition_failed', 'It is another one.') }

/** Defines the contract of what is sent to other systems, comes from them, and is notified of. */
export function onOutside (t: Test, peopled: OpenPeopled) {
  t.test('connections and actions: made once for one key, secrets shown to nobody, gone with what rests on them', async (t) => {
    const { actions: { connections, actions }, owner, stranger } = await peopled(t, 'enterprise')
    const draft = { name: 'Shop', base_url: 'https://shop.example/api', auth: 'bearer' as const, secret: 'sk-quagga' }
    const { secret, ...rest } = draft
    const { id: connection } = (await connections.add(owner, draft, once('c'))).answer
    t.match(await connections.add(owner, draft, once('c')), { replayed: true, answer: { id: connection } })
    t.notMatch(JSON.stringify(await connections.list(owner)), 'sk-quagga')
    t.equal((await connections.opened(owner, connection))?.opened(), secret)
    await connections.note(owner, connection, { error: 'Refused', error_code: 'refused' })
    t.match(await connections.replace(owner, connection, { ...rest, name: 'Renamed' }), { name: 'Renamed' })
    t.equal((await connections.opened(owner, connection))?.opened(), secret, 'which stays where it is left out')
    await t.rejects(connections.replace(owner, connection, rest, NOT_THIS), { code: 'precondition_failed' })

    const call = { effect: 'read' as const, method: 'GET' as const, path: '/orders', parameters: [] }
    const action = { connection, name: 'track', title: 'Tracking', when: 'Asked.', ...call }
    const { id } = (await actions.add(owner, action, once('a')))!.answer
    t.match(await actions.add(owner, action, once('a')), { replayed: true, answer: { id } })
    await t.rejects(actions.add(owner, action), { code: 'taken' })
    t.equal(await actions.add(owner, { ...action, name: 'x', connection: 999 }), undefined)
    t.match(await actions.change(owner, id, { title: 'Looking' }), { title: 'Looking', name: 'track' })
    t.match(await actions.known(owner, id), { action: { id } })
    t.same(ids(await actions.ofConnection(owner, connection)), [id])
    t.same(
      [
        await connections.get(stranger, connection),
        await connections.opened(stranger, connection),
        await connections.replace(stranger, connection, rest),
        await actions.get(stranger, id),
        await actions.change(stranger, id, {}),
        await actions.known(stranger, id)
      ],
      Array(6).fill(undefined)
    )
    t.same(
      [await connections.list(stranger), await actions.list(stranger), await actions.enabled(stranger, [id])],
      [[], [], []]
    )
    t.same([await actions.remove(stranger, id), await actions.remove(owner, id)], [false, true])
    t.same([await connections.remove(stranger, connection), await connections.remove(owner, connection)], [false, true])
    t.same([await actions.list(owner), await connections.list(owner)], [[], []])
  })

  t.test('ticketing providers: of one name once, with credentials that nobody is shown, of their account alone', async (t) => {
    const { tickets: { providers }, owner, stranger } = await peopled(t, 'enterprise')
    const draft = {
      name: 'Zendesk',
      kind: 'zendesk' as const,
      settings: { url: 'https://example.zendesk.com' },
      credentials: { email: 'ada@example.com', token: 'tk-quagga' }
    }
    const { id } = (await providers.add(owner, draft, once('t'))).answer
    t.match(await providers.add(owner, draft, once('t')), { replayed: true, answer: { id } })
    await t.rejects(providers.add(owner, draft), { code: 'taken' })
    t.notMatch(JSON.stringify(await providers.list(owner)), 'tk-quagga')
    t.match(await providers.open(owner, id), { credentials: { token: 'tk-quagga' } })
    t.match(await providers.change(owner, id, { name: 'Desk' }), { name: 'Desk' })
    await t.rejects(providers.change(owner, id, { name: 'x' }, NOT_THIS), { code: 'precondition_failed' })
    t.same([...await providers.names(owner)], [['Desk', id]])
    t.same(
      [
        await providers.get(stranger, id),
        await providers.open(stranger, id),
        await providers.change(stranger, id, { name: 'x' }),
        await providers.byInbound('none')
      ],
      Array(4).fill(undefined)
    )
    t.same([await providers.remove(stranger, id), await providers.remove(owner, id)], [false, true])
    t.same(await providers.list(owner), [])
  })

  t.test('providers of models: oldest first, with a key that nobody is shown, of their account alone', async (t) => {
    const { modelProviders, owner, stranger } = await peopled(t, 'enterprise')
    const draft = { name: 'Ours', provider: 'openai' as const, key: 'sk-quagga', models: ['gpt-*'] }
    const first = (await modelProviders.add(owner, draft, once('m'))).answer
    t.match(await modelProviders.add(owner, draft, once('m')), { replayed: true, answer: { id: first.id } })
    const second = (await modelProviders.add(owner, { ...draft, name: 'More', models: ['o-*'] })).answer
    t.same(ids(await modelProviders.list(owner)), [first.id, second.id])
    t.notMatch(JSON.stringify(await modelProviders.list(owner)), 'sk-quagga')
    t.same(await modelProviders.list(stranger), [])
    const removed = [await modelProviders.remove(stranger, first.id), await modelProviders.remove(owner, first.id)]
    t.same(removed, [false, true])
    t.same(ids(await modelProviders.list(owner)), [second.id])
  })

  t.test('deliveries: sent once for one key, listed newest first in parts and by filters, resent when they failed', async (t) => {
    const { outbox, db, owner, stranger } = await peopled(t)
    const { add } = outbox as unknown as import('../../src/platform/storage/sqlite/outbox.ts').Outbox
    const sent = (key: string, channel = 'webhook') => ({ owner, channel, key, about: `things/${key}`, payload: { to: key } })
    const made = await db.atomically(() => add(sent('a'), sent('b'), sent('a'), sent('c', 'mail')))
    t.same(made.map(({ key }) => key), ['a', 'b', 'c'])
    const parts = await inParts((cursor) =>
      outbox.list(owner, {}, cursor === undefined ? undefined : Number(cursor), 2))
    t.same(parts.map((part) => part.map(({ entry }) => entry.key)), [['c', 'b'], ['a']])
    const keys = async (filter: object) =>
      (await outbox.list(owner, filter, undefined, 9)).items.map(({ entry }) => entry.key)
    t.same(await Promise.all([{ channel: 'mail' }, { about: 'things/b' }, { state: 'sent' }].map(keys)), [['c'], ['b'], []])

    const [a, b] = ids(made) as [number, number]
    function * held () { return 5 }
    function * free () { return 0 }
    t.same(await outbox.begin(a, held), { heldMs: 5 })
    t.match(await outbox.begin(a, free), { entry: { id: a, attempts: 1 }, isRepeat: false })
    t.match(await outbox.begin(a, free), { entry: { attempts: 2 }, isRepeat: true }, 'whose end nobody knows')
    t.equal(await outbox.settle(a, { kind: 'sent', externalId: 'x' }), undefined)
    t.equal(await outbox.begin(a, free), undefined, 'once')
    await outbox.begin(b, free)
    const error = { code: 'gone', message: 'Gone.' }
    t.equal(await outbox.settle(b, { kind: 'failed', error, isFinal: true }), undefined)
    t.match(await outbox.get(owner, b), { entry: { state: 'dead', error }, next: null })
    await t.rejects(outbox.replay(owner, a, () => false), { code: 'already_sent' })
    t.match(await outbox.replay(owner, b, () => false, once('r')), { answer: { entry: { state: 'waiting', attempts: 0 } } })
    t.equal((await outbox.replay(owner, b, () => false, once('r')))?.replayed, true)
    t.same(
      [
        await outbox.get(stranger, a),
        await outbox.replay(stranger, b, () => true),
        (await outbox.list(stranger, {}, undefined, 9)).items
      ],
      [undefined, undefined, []]
    )
  })

  t.test('imports: newest first, within the room of the account, and of it alone', async (t) => {
    const { imports: { store }, owner, stranger, stageFile } = await peopled(t)
    const add = async (bytes: string, slot: string) =>
      (await store.add(owner, [await stageFile(bytes)], null, once(slot))).answer
    const [first, second] = [await add('one', 'a'), await add('two', 'b')]
    t.equal((await add('one', 'a')).id, first.id, 'once for one key')
    t.same(ids(await store.list(owner)), [second.id, first.id])
    t.match(await store.get(owner, first.id), { bytes: 3, owner })
    t.same([await store.get(stranger, first.id), await store.list(stranger)], [undefined, []])
    t.same([await store.remove(stranger, first.id), await store.remove(owner, first.id)], [false, true])
    t.same(ids(await store.list(owner)), [second.id])
  })

  t.test('the audit log: newest first in parts, a chain that fits, of each account apart', async (t) => {
    const { audit, owner, stranger, agent } = await peopled(t)
    const event = (name: string) => ({
      owner,
      user: owner,
      by: 'key' as const,
      key: null,
      action: name,
      target: `agents/${agent}`,
      madeId: undefined,
      fields: ['name'],
      state: 'pending' as const
    })
    for (const name of ['first', 'second', 'third']) await audit.record(event(name))
    const parts = await inParts((cursor) => audit.list(owner, {}, cursor, 2))
    t.same(parts.map((part) => part.map(({ action }) => action)), [['third', 'second'], ['first']])
    t.match(parts[0]![0], { user: { id: owner, name: 'Ada' }, fields: ['name'] })
    t.same((await audit.list(owner, { target: 'nothing' }, undefined, 9)).items, [])
    const { fault, ...chain } = await audit.verify(owner)
    t.match(chain, { events: 3 })
    t.equal(fault, null)
    t.match(await audit.verify(stranger), { events: 0, head: null })
    t.same((await audit.list(stranger, {}, undefined, 9)).items, [])
  })
}
