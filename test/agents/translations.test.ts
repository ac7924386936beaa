import t from 'tap'
import { inLanguage } from '../../src/agents/index.ts'
import { build, draft } from '../helper.ts'
import { site } from '../widget/helper.ts'

const GERMAN = {
  welcomeMessage: 'Guten Tag! Wie kann ich helfen?',
  buttonText: 'Fragen?',
  suggestions: ['Wie lange kann ich zurückgeben?'],
  followupMessages: ['Sind Sie noch da?'],
  data_retention_message: 'Wir behalten, was Sie schreiben, 30 Tage.'
}
const BILINGUAL = {
  appearance: { welcomeMessage: 'Hello! How can I help?', buttonText: 'Questions?' },
  behavior: {
    suggestions: ['How long can I return something?'],
    followupCount: 1,
    followupInterval: 30,
    followupMessages: ['Still there?']
  },
  gdpr_settings: { gdpr_message_display: true, data_retention_message: 'We keep what you write for 30 days.' },
  translations: { de: GERMAN }
}

t.test('texts in other languages merge language by language and text by text, and null takes one away', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', { ...draft, translations: { de: GERMAN } })).json().data
  const put = async (translations: unknown) => (await me.put(`/v1/agents/${id}`, { translations }))
  const kept = async () => (await me.get(`/v1/agents/${id}`)).json().data.translations
  t.strictSame(await kept(), { de: GERMAN })
  t.equal((await put({ fr: { welcomeMessage: 'Bonjour !' }, de: { buttonText: 'Hilfe' } })).statusCode, 200)
  t.strictSame(await kept(), { de: { ...GERMAN, buttonText: 'Hilfe' }, fr: { welcomeMessage: 'Bonjour !' } })
  t.equal((await put({ de: null })).statusCode, 200)
  t.strictSame(await kept(), { fr: { welcomeMessage: 'Bonjour !' } })
  t.strictSame((await me.post('/v1/agents', draft)).json().data.translations, {}, 'none at first')
  for (const bad of [{ DE: {} }, { 'de-AT': {} }, { de: { greeting: 'x' } }, { de: { suggestions: 'x' } }, { de: 1 }, null]) {
    t.equal((await put(bad)).statusCode, 400, JSON.stringify(bad))
  }
  t.equal((await put({ constructor: {} })).statusCode, 400)
  const codes = [...'abcdefghijklmnopqrstuvwxyzabcde'].map((letter, i) => `x${letter}${i < 26 ? '' : 'z'}`)
  const half = (from: number, to: number) => Object.fromEntries(codes.slice(from, to).map((code) => [code, {}]))
  t.equal((await put(half(0, 15))).statusCode, 200)
  t.equal((await put(half(15, 31))).statusCode, 400, '32 with those that there are')
  t.equal(Object.keys(await kept()).length, 16)
})

t.test('what is missing or empty in a language is said in the main one', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const agent = (await me.post('/v1/agents', {
    ...draft, ...BILINGUAL, translations: { de: { ...GERMAN, buttonText: '', suggestions: [' '] }, fr: {} }
  })).json().data
  const german = inLanguage(agent, 'de-AT')
  t.equal(german.appearance.welcomeMessage, GERMAN.welcomeMessage)
  t.equal(german.appearance.buttonText, 'Questions?')
  t.strictSame(german.behavior.suggestions, BILINGUAL.behavior.suggestions)
  t.strictSame(german.behavior.followupMessages, GERMAN.followupMessages)
  t.equal(german.behavior.followupInterval, 30)
  t.strictSame(inLanguage(agent, 'fr').appearance, agent.appearance)
  for (const other of [null, undefined, 'it', '', '__proto__']) t.equal(inLanguage(agent, other), agent, String(other))
})

t.test('the widget is drawn in the language of the page', async (t) => {
  const { key, page } = await site(t, {}, BILINGUAL)
  const shown = async (query: string) => {
    const { appearance, suggestions, consent } = (await page().get(`/v1/widget/${key}/config${query}`)).json().data
    return [appearance.welcomeMessage, appearance.buttonText, suggestions, consent]
  }
  const english = [
    'Hello! How can I help?', 'Questions?', ['How long can I return something?'], 'We keep what you write for 30 days.'
  ]
  const german = [GERMAN.welcomeMessage, GERMAN.buttonText, GERMAN.suggestions, GERMAN.data_retention_message]
  t.strictSame(await shown(''), english)
  t.strictSame(await shown('?language=de'), german)
  t.strictSame(await shown('?language=de-CH'), german)
  t.strictSame(await shown('?language=it'), english)
})

t.test('who agrees to the notice in any of its languages has agreed', async (t) => {
  const { visit, begin } = await site(t, {}, BILINGUAL)
  for (const consent of [GERMAN.data_retention_message, 'We keep what you write for 30 days.']) {
    const visitor = await visit()
    t.match((await visitor.patch('/v1/widget/visitor', { consent })).json().data, { consented: true }, consent)
    const { say } = await begin(visitor)
    t.equal((await say('Hello')).statusCode, 201)
  }
  const other = await visit()
  t.equal((await other.patch('/v1/widget/visitor', { consent: 'Something else' })).statusCode, 409)
})

t.test('greetings and follow-ups are in the language of the conversation', async (t) => {
  const { visit, begin, clock, settled } = await site(t, {}, { ...BILINGUAL, gdpr_settings: {} })
  const visitor = await visit()
  const { at, ask } = await begin(visitor)
  const said = async () => (await visitor.get(`${at}/messages`)).json().data.at(-1).text as string
  const greeting = await ask('Guten Tag!')
  t.match(greeting, GERMAN.welcomeMessage)
  t.notMatch(greeting, 'How can I help?')
  await ask('Wie viele Tage habe ich für eine Rückgabe (returns)?')
  await settled()
  clock.advance(31 * 60_000)
  await settled()
  t.equal(await said(), 'Sind Sie noch da?')
})
