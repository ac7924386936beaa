import fc from 'fast-check'
import t from 'tap'
import type { Clock } from '../../src/platform/clock.ts'
import { rememberedOpenings } from '../../src/widget/opening.ts'
import { topicsOf } from '../../src/search/own/topics.sqlite.ts'
import { site } from './helper.ts'

// The initial suggestions of an agent for which nobody has written any.

const FAQ = {
  en: ['How long do I have to return an item?', 'What does delivery to Austria cost?', 'Can I return a used machine?'],
  de: ['Wie lange kann ich einen Artikel zurückgeben?', 'Was kostet der Versand nach Österreich?']
}
const ANSWERS = {
  en: 'You have thirty days from the day of the delivery, and we pay for the way back if it was damaged.',
  de: 'Sie haben dreißig Tage ab dem Tag der Lieferung, und wir zahlen den Rückweg, wenn es beschädigt war.'
}

t.test('three suggestions are made of what an agent knows, in the language of the page', async (t) => {
  const { page, key, me, id, settled } = await site(t, {}, { behavior: { suggestions: [] } })
  for (const language of ['en', 'de'] as const) {
    const faq = FAQ[language].map((question) => ({ question, answer: ANSWERS[language] }))
    t.equal((await me.post(`/v1/agents/${id}/knowledge_sources`, { title: `FAQ ${language}`, faq })).statusCode, 201)
  }
  await settled()
  const told = async (language: string) =>
    (await page().get(`/v1/widget/${key}/config?language=${language}`)).json().data.suggestions
  t.strictSame(await told('en'), FAQ.en)
  t.strictSame(await told('de-AT'), FAQ.de)
  t.strictSame(await told('pl'), [], 'nothing in a language in which it knows nothing')
  await me.put(`/v1/agents/${id}`, { behavior: { suggestions: ['My own'] } })
  t.strictSame(await told('en'), ['My own'], 'what the owner has written stands instead')
})

t.test('a source that is not used suggests nothing', async (t) => {
  const { page, key, me, id, settled } = await site(t, {}, { behavior: { suggestions: [] } })
  const faq = FAQ.en.map((question) => ({ question, answer: ANSWERS.en }))
  const made = (await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'FAQ', faq })).json().data
  const source = (made[0] ?? made).id
  await settled()
  const changed = await me.put(`/v1/agents/${id}/knowledge_sources/${source}`, { is_selected: false })
  t.equal(changed.statusCode, 200, changed.body)
  t.strictSame((await page().get(`/v1/widget/${key}/config?language=en`)).json().data.suggestions, [])
})

t.test('questions come before headings, of as many sources as there are, each once', (t) => {
  t.strictSame(
    topicsOf([
      ['Returns', 'Returns › How long do I have?', 'Returns › Who pays?'],
      ['Delivery', 'Delivery › What does it cost?'],
      ['HOW LONG DO I HAVE?']
    ]),
    ['How long do I have?', 'What does it cost?', 'Who pays?']
  )
  t.strictSame(topicsOf([['3.1 Scope', 'a.pdf', 'Page 4', 'Warranty'], ['Opening hours']]), ['Warranty', 'Opening hours'])
  t.strictSame(topicsOf([[], []]), [])
  fc.assert(fc.property(fc.array(fc.array(fc.string())), (sources) => {
    const found = topicsOf(sources)
    return found.length <= 3 && new Set(found).size === found.length && found.every((one) => one.length <= 80)
  }), { seed: 7 })
  t.end()
})

t.test('what an agent has just learnt is suggested within seconds: nothing is remembered for less time', async (t) => {
  // Was wrong: visitors who had opened the widget before the first text was read saw no suggestions for five minutes.
  let [now, known] = [0, [] as string[]]
  const openings = rememberedOpenings(async () => known, { micros: () => now } as Clock)
  t.strictSame(await openings(1, 'en'), [])
  known = ['Returns']
  now += 5e6
  t.strictSame(await openings(1, 'en'), ['Returns'])
  known = ['Delivery']
  now += 299e6
  t.strictSame(await openings(1, 'en'), ['Returns'], 'what there is stands for five minutes')
})

t.test('a source that is damaged suggests nothing, and the others do', async (t) => {
  const { page, key, me, id, settled, stores } = await site(t, {}, { behavior: { suggestions: [] } })
  const made: number[] = []
  for (const question of FAQ.en) {
    const faq = [{ question, answer: ANSWERS.en }]
    made.push((await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'FAQ', faq })).json().data[0].id)
    await settled()
  }
  const told = async () => (await page().get(`/v1/widget/${key}/config?language=en`)).json().data.suggestions
  const { raw } = stores.db
  const group = 'select first, data from passage_groups where training = (select id from trainings where source = ?)'
  const { first, data } = raw.prepare<[number | undefined], { first: number, data: Buffer }>(group).get(made[1])!
  raw.prepare('update passage_groups set data = ? where first = ?').run(data.fill(data[20]! ^ 1, 20, 21), first)
  t.strictSame(await told(), [FAQ.en[0], FAQ.en[2]])
})
