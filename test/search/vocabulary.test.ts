import t, { type Test } from 'tap'
import { build, draft } from '../helper.ts'
import { conversing } from '../conversations/helper.ts'

const SHOP = `# Prices

The Aurora costs 49 €.

The Borealis costs 30 €.

# Repairs

We replace a broken PSU within two weeks.

# Care

The Sorglos-Paket covers every defect for three years.

# Visit

We are in Mill Lane 3. There is a car park behind the house.`

const TERMS = [
  { term: 'Aurora', means: ['kettle', 'Wasserkocher', 'hervidor de agua', '電気ケトル'] },
  { term: 'Borealis', means: ['desk lamp'] },
  { term: 'PSU', means: ['power supply unit'] },
  { term: 'Sorglos-Paket', means: ['warranty'] }
]

/** An agent trained on a text, and its answers. */
async function shop (t: Test, ...texts: string[]) {
  const built = await build(t)
  const me = await built.user()
  const agent = async (texts: string[]) => {
    const { id } = (await me.post('/v1/agents', draft)).json().data
    for (const plain of texts) await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Shop', plain_text: plain })
    await built.settled()
    const ask = async (question: string, language?: string) => {
      const begun = await me.post(`/v1/agents/${id}/conversations`, language ? { language } : {})
      const at = `/v1/conversations/${begun.json().data.id}/messages`
      return (await me.post(at, { text: question })).json().data as { text: string, unknown: boolean }
    }
    const put = async (terms: unknown) => {
      const { statusCode, body } = await me.put(`/v1/agents/${id}/vocabulary`, { terms })
      t.equal(statusCode, 200, body)
    }
    return { id, ask, put }
  }
  return { ...built, me, agent, ...await agent(texts.length > 0 ? texts : [SHOP]) }
}

t.test('a question in other words than the pages is answered once the vocabulary has them', async (t) => {
  const { ask, put } = await shop(t)
  const questions: Array<[question: string, answer: RegExp]> = [
    ['How much is the kettle?', /Aurora costs 49 €/],
    ['How much are your kettles?', /Aurora costs 49 €/],
    ['How much is a desk lamp?', /Borealis costs 30 €/],
    ['My power supply unit is broken', /broken PSU within two weeks/],
    ['How long is the warranty?', /three years/]
  ]
  for (const [question, answer] of questions) t.notMatch((await ask(question)).text, answer, `${question} (before)`)
  await put(TERMS)
  for (const [question, answer] of questions) t.match((await ask(question)).text, answer, question)
  await put([])
  for (const [question, answer] of questions) t.notMatch((await ask(question)).text, answer, `${question} (taken away)`)
})

t.test('questions in another language than the pages find them by the vocabulary too', async (t) => {
  const { ask, put } = await shop(t)
  await put(TERMS)
  for (const question of ['Was kostet der Wasserkocher?', '¿Cuánto cuesta el hervidor de agua?', '電気ケトルはいくらですか']) {
    t.match((await ask(question)).text, /Aurora costs 49 €/, question)
  }
  t.match((await ask('Wie lange habe ich Garantie?')).text, /three years/, 'by what the term means in any language')
})

t.test('the other way round: a question with the term finds pages that use the synonym or write it out', async (t) => {
  const { ask, put } = await shop(t, SHOP
    .replace('The Aurora', 'The kettle').replace('PSU', 'power supply unit').replace('Sorglos-Paket', 'warranty'))
  await put(TERMS)
  t.match((await ask('How much is the Aurora?')).text, /kettle costs 49 €/)
  t.match((await ask('Can you repair my PSU?')).text, /power supply unit within two weeks/)
  t.match((await ask('What does the Sorglos-Paket cover?')).text, /warranty covers every defect/)
})

t.test('of several things that are called the same, the one that was named answers', async (t) => {
  const { ask, put } = await shop(t, [
    'Product: Aurora kettle\nPrice: 49 €', 'Product: Borealis kettle\nPrice: 59 €', 'Product: Solstice toaster\nPrice: 30 €'
  ].join('\n\n'))
  await put([{ term: 'Aurora', means: ['kettle'] }, { term: 'Borealis', means: ['kettle'] }])
  for (const [name, price, other] of [['Aurora', /49 €/, /59 €/], ['Borealis', /59 €/, /49 €/]] as const) {
    const { text } = await ask(`How much is the ${name}?`)
    t.match(text, price, name)
    t.notMatch(text, other, name)
  }
})

t.test('a word that is also a common one stands for the term only where it is written as the term is', async (t) => {
  const { ask, put } = await shop(t, 'Information technology is open on Mondays.', 'Cake is sold on Fridays.')
  await put([{ term: 'IT', means: ['information technology'] }])
  t.match((await ask('When is IT open?')).text, /on Mondays/)
  t.notMatch((await ask('When is it sold?')).text, /on Mondays/)
})

t.test('two agents do not see each other\'s words', async (t) => {
  const { agent, ask, put } = await shop(t)
  const other = await agent([SHOP])
  await put(TERMS)
  t.match((await ask('How much is the kettle?')).text, /Aurora costs 49 €/)
  t.notMatch((await other.ask('How much is the kettle?')).text, /Aurora costs/)
  await other.put([{ term: 'Borealis', means: ['kettle'] }])
  t.match((await other.ask('How much is the kettle?')).text, /Borealis costs 30 €/)
  t.match((await ask('How much is the kettle?')).text, /Aurora costs 49 €/)
})

t.test('a search, and a model that answers, are given the passages that use the term', async (t) => {
  const { me, id, model, say, settled } = await conversing(t)
  await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Shop', plain_text: SHOP })
  await settled()
  await me.put(`/v1/agents/${id}/vocabulary`, { terms: TERMS })
  const found = await me.post(`/v1/agents/${id}/search`, { query: 'kettle' })
  t.match(found.json().data[0].text, /Aurora costs 49 €/, found.body)
  const answer = say('How much is the kettle?')
  const asked = await model.next()
  t.match(asked.raw, /Aurora costs 49 €/)
  await asked.say('It costs 49 € [1].')
  asked.end()
  t.match((await answer).json().data.text, /49 € \[1\]/)
})

t.test('in an agent with many passages the synonym finds its passage among all others', async (t) => {
  const many = Array.from({ length: 400 }, (_, i) =>
    `# Part ${i}\n\nPart ${i} of the machine is made of steel and weighs ${i} grams. ${'It is kept in the store. '.repeat(12)}`)
  const { ask, put } = await shop(t, [...many, SHOP].join('\n\n'))
  await put(TERMS)
  t.match((await ask('How much is the kettle?')).text, /Aurora costs 49 €/)
  t.match((await ask('My power supply unit is broken')).text, /broken PSU within two weeks/)
})
