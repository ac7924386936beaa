import type { Test } from 'tap'
import type { CallState } from '../../schema/actions.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { opened, type Asked } from '../../src/tickets/life.ts'
import { AT, ids, inParts, once, talkingIn, type OpenPeopled } from './every.ts'

const WORDS = 'Schön – 完璧, "идеально" 🎉 %_\\'
const HERE = { kind: 'none', why: 'Nobody is asked.' } as const
const ADA = { name: 'Ada', email: 'ada@example.com' }

/** Defines the contract of tickets, and of actions in other systems. */
export function onTickets (t: Test, peopled: OpenPeopled) {
  const talking = talkingIn(peopled)

  /** Stores with a ticket of a conversation, and a function that opens more. */
  async function ticketing (t: Test) {
    const stores = await talking(t)
    const { tickets: { store }, agents, conversations, owner, agent: id, conversation } = stores
    const { agent } = (await agents.get(owner, id))!
    const about = await conversations.store.get(owner, conversation)
    const decided = (name: string, asked: Partial<Asked> = {}) =>
      opened({ agent, requester: ADA, subject: name, description: WORDS, ...asked }, HERE, { id: `tkt_${name}`, at: AT })
    const first = decided('first', { conversation: about })
    const { answer } = (await store.add(owner, first, { conversation, epoch: 7 }, once('t')))!
    return { ...stores, store, decided, about, first, ticket: answer }
  }

  t.test('tickets: opened once for one key, id or epoch, read as they were, listed newest first by filters', async (t) => {
    const { store, decided, about, first, ticket, owner, agent, conversation, conversations } = await ticketing(t)
    const binding = { conversation, epoch: 7 }
    t.match(ticket, { id: 'tkt_first', subject: 'first', description: WORDS, conversation, agent })
    t.match(await store.add(owner, first, binding, once('t')), { replayed: true, answer: { id: ticket.id } })
    await t.rejects(store.add(owner, first, binding, once('t', 'other')), { code: 'idempotency_mismatch' })
    const [again, same] = await Promise.all(['again', 'same'].map((name) =>
      store.add(owner, decided(name, { conversation: about }), binding)))
    t.match([again, same], [{ answer: { id: ticket.id } }, { answer: { id: ticket.id } }], 'once for an epoch')
    t.match(await store.add(owner, decided('first'), undefined), { answer: { id: ticket.id } }, 'once for an id')
    t.match(await conversations.store.get(owner, conversation), { tickets: [ticket.id] })
    for (const name of ['b', 'c', 'd']) await store.add(owner, decided(name), undefined)
    const parts = await inParts((cursor) => store.list(owner, {}, cursor, 3))
    t.same(parts.map(ids), [['tkt_d', 'tkt_c', 'tkt_b'], ['tkt_first']])
    const listed = async (filter: object) => ids((await store.list(owner, filter, undefined, 9)).items)
    t.same(await listed({ conversation }), ['tkt_first'])
    t.equal((await listed({ agent, status: ticket.status }))?.length, 4)
    t.same([await listed({ status: 'closed' }), await listed({ conversation: 'conv_none' })], [[], []])
    t.match(await store.get(owner, ticket.id), { ticket: { ...first.ticket }, messages: [] })
    t.same(await store.ofPerson(owner, agent, 'ada@example.com'), ['tkt_b', 'tkt_c', 'tkt_d'], 'of no conversation')
  })

  t.test('tickets: changed as is decided, refused without a trace, found by what others call them, of their account alone', async (t) => {
    const { store, decided, ticket, owner, stranger, agent, conversation } = await ticketing(t)
    const { id } = ticket
    const wait = { status: 'closed' as const }
    const before = (await store.get(owner, id))!
    t.equal((await store.change(owner, id, () => undefined))?.answer.id, id, 'which changes nothing')
    await t.rejects(
      store.change(owner, id, () => { throw new Refusal('precondition_failed', 'It is another one.') }),
      { code: 'precondition_failed' }
    )
    t.same(await store.get(owner, id), before)
    const close = () => store.change(owner, id, ({ ticket }) => (
      { ticket: { ...ticket, ...wait }, dispatches: [], jobs: [], domainEvents: [] }
    ), once('c'))
    t.same([(await close())?.replayed, (await close())?.replayed], [false, true])
    t.match(await store.get(owner, id), { ticket: wait })
    const external = { external_id: WORDS, external_url: null }
    await store.named(stranger, id, { ...external, external_id: 'theirs' })
    await store.named(owner, id, external)
    t.match(await store.get(owner, id), { ticket: external })
    const seen: unknown[] = []
    t.same(
      [
        await store.get(stranger, id),
        await store.change(stranger, id, (kept) => { seen.push(kept); return undefined }),
        await store.add(stranger, decided('x'), undefined),
        await store.add(owner, decided('y'), { conversation: 'conv_none', epoch: null }),
        await store.byExternal(stranger, 1, WORDS),
        await store.ownerOf('tkt_none'),
        await store.reserved('tkt_none')
      ],
      Array(7).fill(undefined)
    )
    t.same(
      [
        seen,
        (await store.list(stranger, {}, undefined, 9)).items,
        (await store.list(stranger, { conversation }, undefined, 9)).items,
        await store.ofPerson(stranger, agent, 'ada@example.com'),
        await store.waiting(stranger, agent, { at: '', number: 0 })
      ],
      Array(5).fill([])
    )
    t.equal(await store.ownerOf(id), owner)
  })

  t.test('tickets that wait: the oldest first from a place, of the next agent that has any; automatic mails once a day', async (t) => {
    const { store, decided, owner, agent, access } = await ticketing(t)
    for (const name of ['b', 'c']) await store.add(owner, decided(name), undefined)
    const all = await store.waiting(owner, agent, { at: '', number: 0 })
    t.same(ids(all), ['tkt_first', 'tkt_b', 'tkt_c'])
    t.same(await store.waiting(owner, agent, all[0]!), all.slice(1))
    t.same(await store.nextWaiting(0), { owner, agent })
    t.equal(await store.nextWaiting(agent), undefined)
    const { user } = await access.createUser({ name: 'Eva', tier: 'free', email: 'eva@example.com' })
    t.same(
      [await store.isMember(user.id, 'EVA@example.com'), await store.isMember(owner, 'eva@example.com')],
      [true, false]
    )
    const noted = await Promise.all(Array.from({ length: 5 }, () => store.noteAutomatic('ada@example.com')))
    t.same(noted.filter(Boolean).length, 1)
    t.equal(await store.noteAutomatic('bob@example.com'), true)
  })

  t.test('calls: decided once, handed out once, settled once, newest first by filters, of their account alone', async (t) => {
    const { actions: { connections, actions, calls }, conversations: { talk }, owner, stranger, agent } =
      await talking(t)
    const conversation = (await talk.begin(owner, agent, 'api', {}))!.answer.id
    const { id: connection } = (await connections.add(owner, { name: 'Shop', base_url: 'https://shop.example', auth: 'none' })).answer
    const parameters = [{ name: 'number', in: 'path' as const, type: 'string' as const }]
    const base = { connection, when: 'Asked.', method: 'POST' as const, path: '/orders/{number}', parameters }
    const add = async (name: string, more: object) =>
      (await actions.add(owner, { ...base, name, title: name, effect: 'read', enabled: true, ...more }))!.answer.id
    const [track, cancel] = [await add('track', { method: 'GET' }), await add('cancel', { effect: 'write', confirm: 'visitor' })]
    const propose = (action: number, number: string, message: string | null = null, as = owner) => calls.propose(as, {
      action,
      arguments: { number },
      conversation,
      message,
      isVerified: false,
      identity: { externalId: null, verifiedEmail: null, conversation }
    })
    const tracked = await propose(track, WORDS, 'msg_1')
    t.match(tracked, { type: 'begun', call: { state: 'running' } }, 'what nobody confirms')
    t.match(await propose(track, WORDS, 'msg_1'), { type: 'repeated' }, 'for one answer once')
    t.match(await propose(track, ''), { type: 'refused' })
    const waits = await propose(cancel, 'A')
    t.match(waits, { type: 'asked', call: { state: 'asked' } })
    if (tracked?.type !== 'begun' || waits?.type !== 'asked') return
    const [{ id: running }, { id: asked, digest }] = [tracked.call, waits.call]
    t.match(await calls.waiting(owner, conversation), { id: asked })
    const decide = (as: number, changed = digest) =>
      calls.decide(as, conversation, asked, { event: 'confirm', digest: changed, person: null })
    await t.rejects(decide(owner, 'another'), { code: 'call_changed' })
    t.equal(await decide(stranger), undefined)
    const came = await Promise.allSettled([decide(owner), decide(owner)])
    t.same(came.map(({ status }) => status), ['fulfilled', 'rejected'], 'once')
    const begun = await Promise.all([calls.begin(owner, asked), calls.begin(owner, asked)])
    t.match(begun, [{ call: { state: 'running' } }, undefined], 'handed out once')
    t.same(ids((await calls.interrupted(null)).map(({ call }) => ({ id: call }))), [running, asked])
    const sent = { state: 'done' as const, status: 200, ms: 5, result: WORDS, error: null, error_code: null }
    t.match(await calls.settle(owner, running, sent), { state: 'done', status: 200, ms: 5 })
    t.match(await calls.settle(owner, running, { ...sent, state: 'failed', error: 'x', error_code: 'refused' }), { state: 'done' }, 'once')
    t.equal((await calls.get(owner, conversation, running))?.result, WORDS)
    t.match(await calls.settle(owner, asked, { ...sent, state: 'unknown', result: null, error: 'Late.', error_code: 'no_answer' }), { state: 'unknown' })
    t.match(await calls.lost(owner, asked), { call: { id: asked } })
    t.equal(await calls.lost(owner, running), undefined)
    t.equal(await calls.expire(owner, asked), undefined, 'which somebody has decided about')
    const part = (filter: object) => async (cursor: string | undefined) => await calls.list(owner, filter, cursor, 1)
    t.same((await inParts(part({}))).map(ids), [[asked], [running]])
    const states: CallState[] = ['unknown', 'done', 'refused']
    const byState = states.map(async (state) => ids((await part({ state })(undefined)).items))
    t.same(await Promise.all(byState), [[asked], [running], []])
    t.same(ids(await calls.ofConversation(owner, conversation)), [running, asked], 'oldest first')
    t.same(
      [
        await propose(track, 'A', null, stranger),
        await calls.get(stranger, conversation, asked),
        await calls.get(owner, 'conv_none', asked),
        await calls.waiting(stranger, conversation),
        await calls.begin(stranger, asked),
        await calls.settle(stranger, asked, sent),
        await calls.lost(stranger, asked),
        await calls.expire(stranger, asked)
      ],
      Array(8).fill(undefined)
    )
    t.same((await calls.list(stranger, {}, undefined, 9)).items, [])
    t.same(await calls.ofConversation(stranger, conversation), [])
  })
}
