import '../bare-children.ts'
import t from 'tap'
import { SavedReplyRecord } from '../../schema/replies.ts'
import { canned } from '../../src/conversations/answering/small-talk/small-talk.ts'
import { directionOf } from '../../src/platform/languages.ts'
import { LOCALES, languageFor, languagesWith, textsIn } from '../../src/locales/list.ts'

/** The sentences of a locale or of a part of it, by path: `agent.greeting`. */
function sentencesOf (part: object, at = ''): Array<[at: string, text: string]> {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => (
    typeof value === 'string' ? [[at + name, value]] : sentencesOf(value as object, `${at}${name}.`)
  ))
}

const placeholders = (text: string) => (text.match(/\{+\w+\}+/g) ?? []).sort()

const ENGLISH = new Map(sentencesOf(LOCALES.en))

t.test('each sentence of each language says what the English one does, with the same put in', async (t) => {
  for (const [language, locale] of Object.entries(LOCALES)) {
    const sentences = sentencesOf(locale)
    t.strictSame(
      sentences.filter(([, text]) => text.trim() === '' || text !== text.trim()), [], `${language}: none is empty`
    )
    t.strictSame(
      sentences.filter(([at, text]) => `${placeholders(text)}` !== `${placeholders(ENGLISH.get(at) ?? 'unknown')}`), [],
      `${language}: the same placeholders`
    )
  }
})

t.test('who gets sentences of a language gets its buttons', async (t) => {
  // Was wrong: Russian, Ukrainian, Chinese, Japanese, Korean, Swedish, Danish and Czech had sentences and no buttons,
  // and later so had eleven more.
  t.strictSame(languagesWith('widget'), languagesWith('notices'))
  t.strictSame(languagesWith('satisfaction'), languagesWith('widget'))
  t.strictSame(languagesWith('mail'), languagesWith('notices'))
})

t.test('what is written from right to left is shown so', async (t) => {
  // Was wrong: Hebrew and Persian were laid out from left to right.
  for (const [language, { agent }] of Object.entries(LOCALES)) {
    const isRightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(agent.greeting)
    t.equal(directionOf(language), isRightToLeft ? 'rtl' : 'ltr', language)
  }
})

t.test('saved replies may be kept in each language in which visitors are told what happens', async (t) => {
  const { properties } = SavedReplyRecord.properties.texts as unknown as { properties: object }
  t.strictSame(Object.keys(properties).sort(), languagesWith('notices').sort())
})

t.test('what a button says in a visitor\'s place is understood', async (t) => {
  for (const language of languagesWith('widget')) {
    t.equal(canned(textsIn(language, 'widget').asking), 'person', language)
    t.equal(textsIn(language, 'widget').told, textsIn(language, 'agent').isAi, `${language}: said the same way`)
  }
})

t.test('French has its narrow spaces, in which no line is broken', async (t) => {
  // Was wrong: what agents, calls, notices and mails say had plain spaces.
  t.strictSame(sentencesOf(LOCALES['fr']!).filter(([, text]) => /[ \u00A0][:;?!»]| …|'/.test(text)), [])
})

t.test('who speaks a language that nobody has written is told in English', async (t) => {
  t.equal(textsIn('xx', 'agent'), LOCALES.en.agent)
  t.equal(textsIn(null, 'notices'), LOCALES.en.notices)
  t.equal(textsIn('ca', 'notices'), LOCALES.en.notices, 'Catalan has sentences of agents only')
  t.equal(languageFor('ca', 'notices'), 'en')
  t.equal(textsIn('constructor', 'agent'), LOCALES.en.agent)
})
