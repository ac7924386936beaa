import type { Test } from 'tap'
import { dayOf } from '../../src/conversations/index.ts'
import type { Noted } from '../../src/learning/group.ts'
import { ids, inParts, once, talkingIn, type OpenPeopled } from './every.ts'

/** Characters of several scripts, and one outside of the BMP. */
const WORDS = 'Schön – 完璧, "идеально" 🎉 %_\\'
const NEW = Number.MAX_SAFE_INTEGER

/** Defines the contract of what comes after conversations, and is learnt from them. */
export function onAfterwards (t: Test, peopled: OpenPeopled) {
  const talking = talkingIn(peopled)

  t.test('how content visitors were: asked when it is closed, said anew as they like, read as it was said, newest first', async (t) => {
    const { satisfaction, business, conversations: { talk }, owner, stranger, agent, conversation } = await talking(t)
    await t.rejects(satisfaction.give(owner, conversation, { score: 5 }), { code: 'not_asked' })
    await business.change(owner, (kept) => ({ ...kept, asks_satisfaction: true }))
    const closed = async () => {
      const id = (await talk.begin(owner, agent, 'api', {}))!.answer.id
      await talk.reply(owner, id, owner, { text: 'Yes?', client_id: 'a', isStrict: true, attachments: [] })
      await talk.say(owner, id, { text: 'Thanks', client_id: 'b', isStrict: true, attachments: [] })
      t.equal(await satisfaction.isAsked(owner, id), false, 'while it goes on')
      await talk.handOver(owner, id, { type: 'closed', by: 'person', isResolved: true })
      return id
    }
    const all = [await closed(), await closed(), await closed()]
    const [first] = all as [string]
    t.equal(await satisfaction.isAsked(owner, first), true)
    const page = (limit: number) => inParts((cursor) => satisfaction.list(owner, { agent }, cursor, limit))
    t.same(await page(9), [[]], 'what nobody has answered')
    t.match(await satisfaction.ofConversation(owner, first), [{ score: null }], 'which an export tells of')
    for (const id of all) await satisfaction.give(owner, id, { score: 1 })
    const given = await satisfaction.give(owner, first, { score: 5, comment: WORDS })
    t.match(given, { score: 5, comment: WORDS, person: owner })
    t.same(await satisfaction.ofConversation(owner, first), [given])
    t.equal(await satisfaction.isAsked(owner, first), false)
    t.same((await page(2)).map((part) => part.map((one) => one.conversation)), [[all[2], all[1]], [first]])
    t.match((await satisfaction.list(owner, { conversation: first }, undefined, 9)).items, [{ score: 5 }])
    t.same(
      [
        await satisfaction.give(stranger, first, { score: 1 }),
        (await satisfaction.list(stranger, {}, undefined, 9)).items,
        (await satisfaction.list(stranger, { agent }, undefined, 9)).items,
        (await satisfaction.list(stranger, { conversation: first }, undefined, 9)).items,
        await satisfaction.ofConversation(stranger, first),
        await satisfaction.isAsked(stranger, first)
      ],
      [undefined, [], [], [], [], false]
    )
    t.match(await satisfaction.ofConversation(owner, first), [{ score: 5 }], 'as it was')
  })

  t.test('answers to look at: noted once, newest first until somebody has looked, judged anew, of their account alone', async (t) => {
    const { reviews, owner, stranger, agent, conversation } = await talking(t)
    await Promise.all([reviews.note(owner, conversation, [2, 3]), reviews.note(owner, conversation, [3, 4])])
    await reviews.note(stranger, conversation, [1])
    const parts = await inParts((cursor) => reviews.list(owner, {}, cursor, 2))
    const noted = parts.flat()
    t.same(parts.map((part) => part.length), [2, 1])
    t.same(noted.map(({ seq }) => seq), [4, 3, 2])
    t.match(noted[0], { conversation, agent, reason: 'source_changed', verdict: null, person: null })
    const { id } = noted[0]!
    const judged = await reviews.decide(owner, id, 'wrong', owner)
    t.match(judged, { id, verdict: 'wrong', person: owner, reviewed_at: String })
    t.same(await reviews.get(owner, id), judged)
    t.match(await reviews.decide(owner, id, 'right', owner), { verdict: 'right' }, 'in the place of what was said')
    t.same((await reviews.list(owner, { agent }, undefined, 9)).items.map(({ seq }) => seq), [3, 2])
    const [, other] = noted
    t.same(
      [
        await reviews.get(stranger, other!.id),
        await reviews.decide(stranger, other!.id, 'wrong', stranger),
        await reviews.decide(owner, NEW, 'wrong', owner),
        (await reviews.list(stranger, {}, undefined, 9)).items,
        (await reviews.list(stranger, { agent }, undefined, 9)).items
      ],
      [undefined, undefined, undefined, [], []]
    )
    t.same(await reviews.get(owner, other!.id), other, 'as it was')
  })

  t.test('what agents could learn: grouped by what is asked, read as it was, decided about once, of its account alone', async (t) => {
    const { learning: { store }, agents, conversations: { talk }, jobs, owner, stranger, agent, conversation } =
      await talking(t)
    await agents.update(owner, agent, (kept) => ({ ...kept, behavior: { ...kept.behavior, continuousLearning: true } }))
    for (const text of ['Four', 'Five', 'Six']) {
      await talk.reply(owner, conversation, owner, { text, client_id: text, isStrict: true, attachments: [] })
    }
    const found: number[] = []
    for (let job; (job = await jobs.claim({ kinds: ['learning'], lane: 'here', perOwner: 99 }));) found.push(job.subject)
    const [a, b, c] = found.slice(-3) as [number, number, number]
    t.match(await store.unread(owner, a), { conversation, kind: 'answered', seq: Number })
    t.same(await store.candidates(owner, agent), [], 'nothing of which no words are kept')
    const words = ['question', 'lamps', 'return']
    const said: Noted = { language: 'en', question: WORDS, answer: 'Yes.', words }
    const other: Noted = { ...said, question: '', answer: null, words: ['other', 'thing'] }
    await store.keep(stranger, a, said)
    for (const id of [a, b]) await store.keep(owner, id, said)
    await store.keep(owner, c, other)
    t.equal(await store.unread(owner, a), undefined, 'since it is kept')
    const kept = await store.candidates(owner, agent)
    t.same(ids(kept), [c, b, a], 'newest first')
    t.same(kept.map(({ group }) => group), [c, a, a])
    t.same(await store.words(owner, [a, c, NEW]), new Map([[a, said], [c, other]]))
    t.same(await store.unknown(owner, agent, 9), [], 'which was known to a person')
    t.same(
      [
        await store.unread(stranger, b),
        await store.candidates(stranger, agent),
        await store.words(stranger, [a]),
        await store.unknown(stranger, undefined, 9)
      ],
      [undefined, [], new Map(), []]
    )
    for (const [who, which] of [[stranger, [a]], [owner, []], [owner, [a, NEW]]] as const) {
      await t.rejects(store.dismiss(who, which), { code: 'not_found' })
    }
    t.same((await store.candidates(owner, agent)).map(({ state }) => state), ['open', 'open', 'open'], 'as it was')
    t.same(
      [await store.dismiss(owner, [a, b], once('d')), await store.dismiss(owner, [a, b], once('d'))]
        .map(({ replayed }) => replayed),
      [false, true]
    )
    await t.rejects(store.dismiss(owner, [a]), { code: 'not_found' }, 'once')
    t.same((await store.candidates(owner, agent)).map(({ state }) => state), ['open', 'dismissed', 'dismissed'])
  })

  t.test('daily sums: of each day and name, both ends of a time included, of one agent or of all, of their account alone', async (t) => {
    const { analytics, conversations: { talk, store }, knowledge, eventBus, db, stageText, ...rest } =
      await talking(t)
    const { owner, stranger, agent, conversation } = rest
    const day = dayOf(Date.parse('2026-01-01') * 1000)
    const [source] = (await knowledge.add(owner, agent, [
      { type: 'text', text: await stageText('Lamps'), title: WORDS }
    ]))!.answer
    await talk.say(owner, conversation, { text: 'Thanks', client_id: 'b', isStrict: true, attachments: [] })
    const said = (await store.messages(owner, conversation, {}, 9))!.at(-1)!
    const citations = [{ source: source!.id }] as unknown as typeof said.citations
    const record = (await store.get(owner, conversation))!
    const answer = { ...said, role: 'agent' as const, status: 'complete' as const, citations }
    await db.atomically(() => eventBus.publish(
      { owner, agent, type: 'message.completed', data: { conversation: record, message: answer } }
    ))
    await talk.handOver(owner, conversation, { type: 'closed', by: 'person', isResolved: true })
    const wanted = { from: day, to: day }
    const sums = await analytics.sums(owner, wanted)
    const sum = (name: string) => sums.filter((one) => one.name === name).reduce((all, { n }) => all + n, 0)
    t.same([sum('conversations'), sum('messages.person'), sum('messages.visitor')], [1, 3, 1])
    t.same(new Set(sums.map((one) => one.day)), new Set([day]))
    t.same(await analytics.sums(owner, { ...wanted, agent }), sums)
    t.same(await analytics.sources(owner, wanted), [{ source: source!.id, title: WORDS, answers: 1 }])
    t.match(await analytics.parts(owner, 'channel', wanted), [{ by: 'channel', value: 'api', name: String, n: Number }])
    for (const [who, when] of [
      [stranger, wanted], [stranger, { ...wanted, agent }], [owner, { from: day + 1, to: day + 99 }],
      [owner, { from: 0, to: day - 1 }], [owner, { ...wanted, agent: NEW }]
    ] as const) {
      t.same(
        [await analytics.sums(who, when), await analytics.parts(who, 'channel', when), await analytics.sources(who, when)],
        [[], [], []]
      )
    }
  })
}
