import t, { type Test } from 'tap'
import { Refusal } from '../../src/platform/errors.ts'
import { noted, sameAs, together } from '../../src/learning/group.ts'
import { overlap } from '../../src/search/sense/alike.ts'
import { beginning, masked } from '../../src/learning/mask.ts'
import { talkative } from '../conversations/helper.ts'

const MOON = 'How heavy are gift cards in grams?'

async function learning (t: Test, isLearning = true) {
  const built = await talkative(t, {}, { behavior: { continuousLearning: isLearning } })
  const { me, id, settled } = built
  const suggestions = async () => {
    await settled()
    return (await me.get(`/v1/agents/${id}/suggestions`)).json().data
  }
  const ask = async (text: string, visitor?: string) => {
    const { data } = (await me.post(`/v1/agents/${id}/conversations`, visitor ? { visitor } : {})).json()
    const on = `/v1/conversations/${data.id}`
    return { on, answer: (await me.post(`${on}/messages`, { text })).json().data }
  }
  return { ...built, suggestions, ask }
}

t.test(
  'what was not known is suggested once, however often it is asked, and answered after somebody approved it',
  async (t) => {
    const { me, id, ask, suggestions, settled, stores } = await learning(t)
    t.match((await ask(MOON)).answer.text, /do not know|don't know|could not find/i)
    await ask('How heavy are the gift cards, in grams please?')
    await ask('Which planet is nearest to the sun?')
    const [first, second] = await suggestions()
    t.match(first, { agent: id, language: 'en', question: /gift cards/, answer: null, kinds: ['unknown'], times: 2 })
    t.match(second, { question: /planet/, times: 1 })
    const { store } = stores.knowledge
    const { add } = store
    store.add = async () => {
      throw new Refusal('storage_full', 'There is no room.')
    }
    t.equal((await me.post(`/v1/agents/${id}/suggestions/${first.id}/approve`, { answer: 'No' })).statusCode, 507)
    store.add = add
    t.equal((await suggestions()).length, 2, 'what could not be kept is still suggested')
    const refused = await me.post(`/v1/agents/${id}/suggestions/${first.id}/approve`, {})
    t.match([refused.statusCode, refused.json().error.details], [400, [{ field: 'answer' }]])
    const made = await me.post(`/v1/agents/${id}/suggestions/${first.id}/approve`, {
      question: MOON, answer: 'Gift cards weigh 12 grams each, with their envelope.'
    })
    t.equal(made.statusCode, 201, made.body)
    t.match(made.json().data, { type: 'text', title: MOON })
    await settled()
    t.match((await ask(MOON)).answer.text, /12 grams/)
    t.strictSame(
      (await suggestions()).map(({ id: left }: { id: number }) => left), [second.id]
    )
    t.equal(
      (await me.post(`/v1/agents/${id}/suggestions/${first.id}/approve`, { answer: 'Again' })).statusCode, 404, 'once'
    )
  }
)

t.test('what is dismissed is not suggested again, however often it is asked', async (t) => {
  const { me, id, ask, suggestions } = await learning(t)
  await ask(MOON)
  const [{ id: first }] = await suggestions()
  t.match((await me.post(`/v1/agents/${id}/suggestions/${first}/dismiss`, {})).json().data, { id: first })
  await ask(MOON)
  t.strictSame(await suggestions(), [])
  t.equal((await me.post(`/v1/agents/${id}/suggestions/${first}/dismiss`, {})).statusCode, 404)
})

t.test(
  "people's replies and disliked answers are candidates too; a reply is the answer that is suggested",
  async (t) => {
    const { me, id, ask, suggestions, settled } = await learning(t)
    const { data: visitor } = (await me.post('/v1/visitors', { agent: id, name: 'Grace Hopper' })).json()
    const { on } = await ask(
      'My name is Grace, how heavy are gift cards in grams? Write to grace@example.com, order 123456.', visitor.id
    )
    await me.post(`${on}/messages`, {
      text: 'Dear Grace, gift cards weigh 12 grams each. Call 0800 123 4567.', role: 'person'
    })
    const disliked = await ask('How many days do I have for returns?')
    await me.put(`${disliked.on}/messages/${disliked.answer.id}/feedback`, { score: -1 })
    const [first, second] = await suggestions()
    t.strictSame(first.kinds.toSorted(), ['answered', 'unknown'])
    t.notMatch(JSON.stringify(first), /Grace|grace@|123456|4567/, "nobody's name, address or number")
    t.match(first, {
      question: /\[name\].*\[e-mail\].*\[number\]/, answer: /\[name\], gift cards weigh 12 grams each.*\[phone\]/
    })
    t.match(second, { kinds: ['disliked'], question: /returns/ })
    t.equal(
      (await me.post(`/v1/agents/${id}/suggestions/${first.id}/approve`, {})).statusCode, 201, 'as it was suggested'
    )
    await settled()
    t.match((await ask(MOON)).answer.text, /12 grams/)
  }
)

t.test(
  'an agent that does not learn suggests nothing, and what it could learn goes with its conversation',
  async (t) => {
    const { me, id, ask, suggestions, user } = await learning(t, false)
    const { on } = await ask(MOON)
    t.strictSame(await suggestions(), [])
    await me.put(`/v1/agents/${id}`, { behavior: { continuousLearning: true } })
    t.equal((await suggestions()).length, 1, 'what was not known before counts')
    t.equal((await (await user()).get(`/v1/agents/${id}/suggestions`)).statusCode, 404)
    await me.delete(on)
    t.strictSame(await suggestions(), [])
  }
)

t.test('questions are the same when most of their words are, in one language', async (t) => {
  t.equal(overlap(new Set(['a', 'b', 'c']), ['a', 'b', 'c']), 1)
  t.equal(overlap(new Set(['a', 'b', 'c', 'd']), ['a', 'b', 'c']), 0.75)
  t.equal(overlap(new Set(), []), 0)
  const asked = [
    'How heavy are gift cards in grams?',
    'How heavy is a gift card in grams?',
    'Where is my parcel from yesterday?',
    'Wie schwer sind Geschenkkarten in Gramm?',
    '???'
  ].map((question, i) => ({ id: i + 1, times: 1, ...noted(question, null, null) }))
  t.equal(sameAs(asked[1]!, [asked[2]!, asked[0]!])?.id, 1)
  t.equal(sameAs(asked[1]!, []), undefined)
  t.strictSame(
    together(asked).map(({ id, language, times }) => [id, language, times]),
    [
      [1, 'en', 2], [3, 'en', 1], [4, 'de', 1], [5, null, 1]
    ]
  )
  t.strictSame(asked[4]!.words, [], 'nothing can be learnt of it')
})

t.test('the same words in two languages are two questions', async (t) => {
  // Was wrong without a check of the language: both say no more than two names that every language writes alike.
  const [english, german] = ['What is it with PayPal and Klarna?', 'Was ist mit PayPal und mit Klarna?'].map(
    (question, i) => ({ id: i + 1, times: 1, ...noted(question, null, null) })
  )
  t.strictSame([english!.language, german!.language], ['en', 'de'])
  t.strictSame(german!.words, english!.words)
  t.equal(sameAs(german!, [english!]), undefined)
  t.equal(together([english!, german!]).length, 2)
})

// Was wrong: 500 for each of them until the conversation was gone, since only some languages have endings to strip.
t.test('what was not known is suggested and counted in every language that a question can be in', async (t) => {
  const { me, id, ask, suggestions } = await learning(t)
  const asked = [
    '月亮有多重？',
    '月の重さはどれくらいですか？',
    '달은 얼마나 무겁습니까?',
    'ดวงจันทร์หนักเท่าไหร่',
    'כמה שוקל הירח שלנו?',
    'Πόσο ζυγίζει το φεγγάρι;',
    'चाँद का वज़न कितना है?',
    'كم يبلغ وزن القمر؟',
    'Сколько весит луна?',
    'Mặt trăng của chúng ta nặng bao nhiêu?',
    'Որքա՞ն է կշռում լուսինը'
  ]
  for (const question of asked) await ask(question)
  const found = await suggestions() as Array<{ question: string }>
  t.strictSame(new Set(found.map(({ question }) => question)), new Set(asked))
  for (const at of ['/v1/analytics', `/v1/agents/${id}/analytics`]) {
    const { statusCode, body } = await me.get(at)
    t.equal(statusCode, 200)
    t.equal(JSON.parse(body).data.top_unknown.length, 10)
  }
})

t.test('names, addresses and numbers are masked, and nothing else', async (t) => {
  t.equal(masked('I am ADA, order 12 34 567, ada@example.com', 'Ada Lovelace'), 'I am [name], order [number], [e-mail]')
  t.equal(masked('Adam has 30 days and 2 cats', 'Ada'), 'Adam has 30 days and 2 cats')
  t.equal(masked('Nobody (here)', 'N. (x'), 'Nobody (here)')
})

// Was wrong: "Mr Quonkelmann" was in suggestions, although the schema says that names are masked.
t.test('names that are said to be some are masked, whoever wrote', async (t) => {
  const cases = [
    ['Is Mr Quonkelmann in today?', 'Is Mr [name] in today?'],
    ['is mr quonkelmann in today?', 'is mr [name] in today?'],
    ['Ist Frau Dr. Müller-Lüdenscheidt da?', 'Ist Frau Dr. [name] da?'],
    ['¿Está la Señora García López?', '¿Está la Señora [name]?'],
    ['M. Dupont est là ?', 'M. [name] est là ?'],
    ['my name is quonkelmann and I ask', 'my name is [name] and I ask'],
    ['Ich heiße Anna Maria Schmidt und suche', 'Ich heiße [name] und suche'],
    ["Je m'appelle Zoé, où est ma commande ?", "Je m'appelle [name], où est ma commande ?"],
    ['Me llamo Íñigo Montoya.', 'Me llamo [name].'],
    ['Меня зовут Анна Каренина', 'Меня зовут [name]'],
    ['I am Grace Hopper. Where is it?', 'I am [name]. Where is it?'],
    ['Dear Grace, it weighs 12 grams.\nKind regards\nTom Sawyer', 'Dear [name], it weighs 12 grams.\nKind regards\n[name]'],
    ['田中さんはいますか', '[name]さんはいますか']
  ]
  for (const [text, shown] of cases) t.equal(masked(text!, null), shown)
  for (const text of [
    'How much is a gift card?', 'Hello there, do you ship to New York?', 'I am German, may I order?',
    'Do you sell Dr Pepper glasses'.replace('Dr Pepper', 'Pepper'), 'お客様の声', 'Is this a Senior Manager course?'
  ]) t.equal(masked(text, null), text)

  const { ask, suggestions } = await learning(t)
  await ask('When does Mr Quonkelmann repair clocks on the moon?')
  t.match(await suggestions(), [{ question: 'When does Mr [name] repair clocks on the moon?' }])
})

t.test('500 characters of a question are kept, and no part of an address where it was cut', async (t) => {
  t.equal(beginning('moon '.repeat(1000), null, 500).length, 500)
  t.equal(beginning(`${'moon '.repeat(198)}ada@example.com`, null, 500).includes('ada'), false)
  t.notMatch(beginning(`${'12345 '.repeat(165)}ada@example.com`, null, 500), /ada|exam/)
  t.equal(beginning('x'.repeat(5000), null, 500).length, 500)
  t.ok(noted('月'.repeat(4000), null, null).words.length <= 60)
})

// Was wrong: 500 conversations were opened for each view of the figures, and their words tokenised: 240 to 16,000 ms.
t.test('suggestions and figures are read as they are kept: no conversation is opened for them', async (t) => {
  const { me, id, ask, suggestions, settled, stores } = await learning(t)
  const other = (await me.post('/v1/agents', { name: 'Bob', systemPrompt: 'You help.' })).json().data.id
  for (let i = 0; i < 3; i++) await ask(MOON)
  await ask('Which planet is nearest to the sun?')
  await ask('???')
  const { data: { id: begun } } = (await me.post(`/v1/agents/${other}/conversations`, {})).json()
  await me.post(`/v1/conversations/${begun}/messages`, { text: MOON })
  await settled()
  const { store } = stores.conversations
  store.get = store.messages = async () => {
    throw new Error('A conversation was opened.')
  }
  t.match(await suggestions(), [{ times: 3 }, { times: 1 }])
  const figures = async (at: string) => (await me.get(at)).json().data.top_unknown
  t.strictSame(await figures(`/v1/agents/${id}/analytics`), [
    { question: MOON, times: 3 }, { question: 'Which planet is nearest to the sun?', times: 1 }
  ])
  t.match(await figures('/v1/analytics'), [{ question: MOON, times: 4 }, { times: 1 }], 'agents that were asked the same')
})

// Was wrong: two concurrent approvals made a source each, and a repeated approval was refused with 404.
t.test('what is approved twice at once, or again with the same Idempotency-Key, is learnt once', async (t) => {
  const { me, id, ask, suggestions, settled } = await learning(t)
  await ask(MOON)
  await ask('Which planet is nearest to the sun?')
  const [first, second] = await suggestions()
  const at = (one: { id: number }) => `/v1/agents/${id}/suggestions/${one.id}`
  const sources = async () => (await me.get(`/v1/agents/${id}/knowledge_sources`)).json().data.length as number
  const before = await sources()
  const both = await Promise.all([1, 2].map(() => me.post(`${at(first)}/approve`, { answer: '12 grams.' })))
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [201, 404])
  t.equal(await sources(), before + 1)

  const approve = () => me.post(`${at(second)}/approve`, { answer: 'Mercury.' }, { 'idempotency-key': 'once' })
  const made = await approve()
  const again = await approve()
  t.match([made.statusCode, again.statusCode, again.headers['idempotency-replayed']], [201, 201, 'true'])
  t.equal(again.json().data.id, made.json().data.id)
  t.equal(await sources(), before + 2)
  t.equal(
    (await me.post(`${at(second)}/approve`, { answer: 'Venus.' }, { 'idempotency-key': 'once' })).statusCode, 422
  )
  await settled()
  await ask('How tall is the tower of the factory?')
  const [third] = await suggestions()
  const dismiss = () => me.post(`${at(third)}/dismiss`, {}, { 'idempotency-key': 'no' })
  t.equal((await dismiss()).statusCode, 200)
  t.match(await dismiss(), { statusCode: 200, headers: { 'idempotency-replayed': 'true' } })
})

t.test('an approval that is repeated while the first is still on its way leaves nothing over', async (t) => {
  const { me, id, ask, suggestions, stores } = await learning(t)
  await ask(MOON)
  const [{ id: first }] = await suggestions()
  const approve = () =>
    me.post(`/v1/agents/${id}/suggestions/${first}/approve`, { answer: '12 grams.' }, { 'idempotency-key': 'once' })
  const both = await Promise.all([approve(), approve()])
  t.strictSame(both.map(({ statusCode }) => statusCode), [201, 201])
  t.equal(both[0]!.json().data.id, both[1]!.json().data.id)
  const staged = stores.db.raw.prepare<[], number>("select count(*) from blobs where state = 'staged'").pluck()
  t.equal(staged.get(), 0)
})
