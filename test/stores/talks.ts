import type { Test } from 'tap'
import { newVisitor } from '../../src/conversations/index.ts'
import { newId } from '../../src/conversations/storage/rows.ts'
import { AT, ids, inParts, once, talkingIn, type OpenPeopled } from './every.ts'

/** Defines the contract of messages, and of their authors. */
export function onTalks (t: Test, peopled: OpenPeopled) {
  const talking = talkingIn(peopled)

  t.test('visitors: made once for one key, listed newest first in parts, named, changed, of their account alone', async (t) => {
    const { conversations: { visitors }, owner, stranger, agent } = await peopled(t)
    const made = (id: string) => newVisitor(id, owner, agent, AT)
    const all = Array.from({ length: 5 }, () => newId('vis'))
    for (const id of all) await visitors.create(owner, made(id), once(id))
    t.match(await visitors.create(owner, made(newId('vis')), once(all[0]!)), { replayed: true, answer: { id: all[0] } })
    t.equal(await visitors.create(owner, { ...made(newId('vis')), agent: 999 }), undefined)
    const parts = await inParts((cursor) => visitors.list(owner, {}, cursor, 2))
    t.same(parts.map(ids), [[all[4], all[3]], [all[2], all[1]], [all[0]]])
    const [id] = all as [string]
    t.match(await visitors.update(owner, id, (kept) => ({ ...kept, name: 'Ada', email: 'ada@example.com' })), { name: 'Ada' })
    t.match(await visitors.get(owner, id), { id, name: 'Ada', email: 'ada@example.com' })
    t.match((await visitors.names(owner, [id, 'vis_none'])), [{ id, name: 'Ada' }])
    t.same(
      [
        await visitors.get(stranger, id),
        await visitors.update(stranger, id, (kept) => kept),
        await visitors.names(stranger, [id]),
        (await visitors.list(stranger, {}, undefined, 9)).items
      ],
      [undefined, undefined, [], []]
    )
  })

  t.test('who is vouched for is one visitor, however often they come', async (t) => {
    const { conversations: { visitors }, owner, agent } = await peopled(t)
    const come = async (subject: string) => (await visitors.vouchedFor(
      owner, agent, subject, newVisitor(newId('vis'), owner, agent, AT), (kept) => ({ ...kept, name: subject })
    ))?.id
    const [first] = [await come('a')]
    t.same([await come('a'), await come('b') === first], [first, false])
    t.equal((await visitors.list(owner, {}, undefined, 9)).items.length, 2)
  })

  t.test('conversations: begun once for one key, listed in parts and by filters, of their account alone', async (t) => {
    const { conversations: { store, talk }, owner, stranger, agent, visitor, conversation } = await talking(t)
    const begun: string[] = [conversation]
    for (let i = 0; i < 4; i++) begun.push((await talk.begin(owner, agent, 'api', {}, once(`c${i}`)))!.answer.id)
    t.match(await talk.begin(owner, agent, 'api', {}, once('c0')), { replayed: true, answer: { id: begun[1] } })
    t.equal(await talk.begin(stranger, agent, 'api', {}), undefined)
    const parts = await inParts((cursor) => store.list(owner, {}, cursor, 2))
    t.same(parts.map((part) => part.length), [2, 2, 1])
    t.same(parts.flat().map(({ id }) => id).sort(), begun.sort(), 'each once')
    t.same(ids((await store.list(owner, { visitor }, undefined, 9)).items), [conversation])
    t.same(ids((await store.list(owner, { handled_by: 'person' }, undefined, 9)).items), [conversation])
    t.match(await store.get(owner, conversation), { id: conversation, visitor, person: owner, messages: 4 })
    t.same(
      [
        await store.get(stranger, conversation),
        await store.messages(stranger, conversation, {}, 9),
        await store.events(stranger, conversation, 0),
        await store.newest(stranger, conversation),
        (await store.list(stranger, {}, undefined, 9)).items,
        await store.remove(stranger, conversation, () => {})
      ],
      [undefined, undefined, undefined, undefined, [], false]
    )
    t.equal(await store.remove(owner, conversation, () => {}), true)
    t.equal(await store.get(owner, conversation), undefined)
  })

  t.test('messages: in the order in which they were said, each once for its name, and events after one another', async (t) => {
    const { conversations: { store, talk }, owner, conversation } = await talking(t)
    const texts = async (range: object, limit = 9) =>
      (await store.messages(owner, conversation, range, limit))?.map(({ text }) => text)
    t.same((await texts({}))?.slice(1), ['One', 'Two', 'Three'])
    t.same([await texts({ after: 2 }, 1), await texts({ before: 4 }, 1)], [['Two'], ['Two']])
    const again = await talk.reply(owner, conversation, owner, {
      text: 'Two', client_id: 'Two', isStrict: true, attachments: []
    })
    t.equal(again?.repeated, true)
    const [first] = (await store.messages(owner, conversation, { after: 1 }, 1))!
    t.match(await store.message(owner, conversation, first!.id), { text: 'One', seq: 2 })
    const { events, last } = (await store.events(owner, conversation, 0))!
    const numbers = events.map(({ seq }) => seq)
    t.same(numbers, [...numbers].sort((a, b) => a - b))
    t.equal(numbers.at(-1), last)
    t.same((await store.events(owner, conversation, last))?.events, [])
    t.match(await store.previews(owner, [conversation]), [{ conversation }])
  })

  t.test('attachments: counted to the byte, of their conversation, and gone with it', async (t) => {
    const { conversations, owner, stranger, visitor, conversation, stageFile } = await talking(t)
    const { attachments, store } = conversations
    const before = (await attachments.room(owner)).used
    const files = [await stageFile('twelve bytes')]
    const added = (await attachments.add(owner, conversation, files, { visitor, once: once('a') }))!
    t.match(added, { replayed: false, answer: [{ bytes: 12 }] })
    t.equal((await attachments.room(owner)).used, before + 12)
    t.equal(await attachments.ofVisitor(owner, visitor), 12)
    t.same((await attachments.of(owner, conversation)).map(({ bytes }) => bytes), [12])
    t.same(
      [
        await attachments.add(stranger, conversation, [await stageFile('x')]),
        await attachments.of(stranger, conversation)
      ],
      [undefined, []]
    )
    await store.remove(owner, conversation, () => {})
    t.same(await attachments.of(owner, conversation), [])
  })

  t.test('notes: in the order in which they were made, once for one key, of their account alone', async (t) => {
    const { notes, owner, stranger, conversation } = await talking(t)
    const first = (await notes.add(owner, conversation, owner, 'Calls back', once('n')))!.answer
    const again = await notes.add(owner, conversation, owner, 'Calls back', once('n'))
    t.match(again, { replayed: true, answer: { id: first.id } })
    const second = (await notes.add(owner, conversation, owner, 'Did'))!.answer
    t.same((await notes.list(owner, conversation))?.map(({ text }) => text), ['Calls back', 'Did'])
    t.same(
      [await notes.list(stranger, conversation), await notes.add(stranger, conversation, stranger, 'x')],
      [undefined, undefined]
    )
    t.same(
      [await notes.remove(stranger, conversation, first.id), await notes.remove(owner, conversation, first.id)],
      [false, true]
    )
    t.same(ids(await notes.list(owner, conversation)), [second.id])
  })

  t.test('what was seen: a mark goes on and never back, nor beyond what was said', async (t) => {
    const { seen, owner, stranger, conversation } = await talking(t)
    const upTo = async () => (await seen.of(owner, conversation, owner))?.up_to
    for (const [message, wanted] of [[2, 2], [1, 2], [99, 4]] as const) {
      await seen.mark(owner, conversation, owner, message)
      t.equal(await upTo(), wanted)
    }
    t.equal(await seen.ofVisitor(owner, conversation), undefined)
    t.match(await seen.markByVisitor(owner, conversation, 2), { up_to: 2 })
    t.match(await seen.ofVisitor(owner, conversation), { up_to: 2 })
    t.same(
      [
        await seen.mark(stranger, conversation, stranger, 1),
        await seen.of(stranger, conversation, stranger),
        await seen.markByVisitor(stranger, conversation, 1)
      ],
      Array(3).fill(undefined)
    )
  })

  t.test('duty: what somebody says of themselves, for each account apart', async (t) => {
    const { duty, owner, stranger } = await peopled(t)
    t.match(await duty.of(owner, owner), { on: null, capacity: null })
    t.match(await duty.set(owner, owner, true, 3), { on: true, capacity: 3 })
    t.match(await duty.set(owner, owner, false), { on: false, capacity: 3 }, 'what is left out stays')
    t.match(await duty.of(stranger, stranger), { on: null, capacity: null })
    await duty.set(owner, owner, true)
    t.same([await duty.isAnybodyOn(owner), await duty.isAnybodyOn(stranger)], [true, false])
    t.same([await duty.there(owner), await duty.there(stranger)], [[owner], []])
  })

  t.test('erasure: a receipt, newest first, of the account alone; what is erased is there no more', async (t) => {
    const { privacy: { store }, conversations, owner, stranger, agent, visitor, conversation } = await talking(t)
    const other = (await conversations.visitors.create(owner, newVisitor(newId('vis'), owner, agent, AT)))!.answer.id
    t.same([await store.ownerOf(visitor), await store.ownerOf('vis_none')], [owner, undefined])
    t.equal(await store.erase(stranger, visitor), undefined)
    t.match(await store.erase(owner, visitor), {
      kind: 'erasure', visitor, removed: { conversations: 1, messages: 4, visitors: 1 }
    })
    t.equal(await store.erase(owner, visitor), undefined, 'once')
    await store.erase(owner, other)
    const parts = await inParts(async (cursor) => await store.receipts(owner, cursor, 1))
    t.same(parts.flat().map((one) => one.visitor), [other, visitor])
    t.same((await store.receipts(stranger, undefined, 9)).items, [])
    t.same(
      [await conversations.store.get(owner, conversation), await conversations.visitors.get(owner, visitor)],
      [undefined, undefined]
    )
  })
}
