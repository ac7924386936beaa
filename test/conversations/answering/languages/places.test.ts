import t from 'tap'
import { LOCALES } from '../../../../src/locales/list.ts'
import { build } from '../../../helper.ts'
import { askedAt, PLACES, type Place } from './places.ts'

/** The production app with an agent trained on a place's texts; asks it, each time in a new conversation. */
async function visited (t: Parameters<typeof build>[0], { texts }: Place) {
  const { user, settled } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help visitors.' })).json().data
  for (const [title, text] of Object.entries(texts)) {
    await me.post(`/v1/agents/${id}/knowledge_sources`, { title, plain_text: text })
  }
  await settled()
  return async (text: string, draft: object = {}) => {
    const { id: conversation } = (await me.post(`/v1/agents/${id}/conversations`, draft)).json().data
    await me.post(`/v1/conversations/${conversation}/messages`, { text })
    return (await me.get(`/v1/conversations/${conversation}/messages`)).json().data.at(-1).text as string
  }
}

/** The language of the notice in a first answer. */
const languageOf = (answer: string) =>
  Object.entries(LOCALES).find(([, { agent: { isAi } }]) => answer.startsWith(isAi))?.[0]

t.test('short questions are answered in the language of the one text that there is, a list of prices', async (t) => {
  // Was wrong: lists of prices were taken for Spanish, Italian and English, and what followed them as well.
  for (const [language, { texts }] of Object.entries(PLACES)) {
    const [title, text] = Object.entries(texts).find(([title]) => /Tabela|Tarieven|Ceník|Priser/.test(title))!
    const ask = await visited(t, { texts: { [title]: text }, asked: '' })
    for (const question of ['Wifi?', 'MB Way', '12345']) t.equal(languageOf(await ask(question)), language, question)
  }
})

t.test('a page that says that it is English is not believed against a sentence in the language of the texts', async (t) => {
  // Was wrong: three words did not identify it.
  const ask = await visited(t, PLACES['pt']!)
  const asked = (text: string) => ask(text, { language: 'en' })
  t.equal(languageOf(await asked('onde ficam vocês')), 'pt')
  t.equal(languageOf(await asked('Invisalign')), 'en')
  t.equal(languageOf(await asked('Do you sell brushes?')), 'en')
})

for (const [language, place] of Object.entries(PLACES)) {
  t.test(`a place whose texts are ${language} answers whoever asks in ${language} in it`, async (t) => {
    const ask = await visited(t, place)
    const wrong: string[] = []
    for (const question of askedAt(place)) {
      const said = languageOf(await ask(question))
      if (said !== language) wrong.push(`${question} (${said})`)
    }
    t.comment(`${language}: ${askedAt(place).length - wrong.length} of ${askedAt(place).length}`)
    t.strictSame(wrong, [])
  })
}

t.test('a page names its language as pages do: with a country, Norwegian as Bokmål, under an old code, wrongly', async (t) => {
  // Was wrong: a page that says `nb`, as most in Norwegian do, was answered in English.
  const ask = await visited(t, { texts: {}, asked: '' })
  for (const [given, language] of [['nb-NO', 'no'], ['NN', 'no'], ['pt_BR', 'pt'], ['fil', 'en'], ['english', 'en'], ['', 'en'], ['iw', 'he'], ['in', 'id']] as const) {
    t.equal(languageOf(await ask('Wifi?', { language: given })), language, given)
  }
})
