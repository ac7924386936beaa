import type * as Sentences from '../../src/console/browser/asking/sentences.ts'
import type * as Said from '../../src/console/browser/texts/index.ts'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t, { type Test } from 'tap'
import { REFUSALS } from '../../src/platform/errors.ts'
import { en } from '../../src/console/browser/texts/en.ts'

const FOLDER = new URL('../../src/console/browser/texts/', import.meta.url)

/** Longer texts that a language writes as English does. */
const SAME: string[] = []

/** Every text by its key: `inbox › views › all`. */
function flat (texts: object, before = ''): Map<string, string> {
  return new Map(Object.entries(texts).flatMap(([key, value]) => {
    return typeof value === 'string' ? [[`${before}${key}`, value]] : [...flat(value, `${before}${key} › `)]
  }))
}

function placeholders (text: string): string[] {
  return [...new Set(text.match(/\{+\w+\}+/g))].sort()
}

const english = flat(en)
// The list stands in code for browsers, which the compiler does not let a test import by name.
interface Speech {
  LANGUAGES: Record<string, string>
  language: { value: string }
  texts: { value: typeof en }
  speak (code?: string): Promise<void>
  fill (text: string, values: Record<string, string | number>): string
  shownTime (timestamp: string): string
  shownSince (timestamp: string, now: Date): string
  shownAgo (timestamp: string, now: number): string
  shownBytes (bytes: number): string
  shownIn (timestamp: string, now: number): string
}
const speech = (await import(new URL('index.ts', FOLDER).href)) as Speech
const { LANGUAGES } = speech
const files = globSync('??.ts', { cwd: FOLDER }).map((file) => basename(file, '.ts'))
const codes = files.filter((code) => code !== 'en').sort()

t.test('every language of the menu has its texts, and the menu has every language', async (t) => {
  const registered = readFileSync(new URL('index.ts', FOLDER), 'utf8').match(/(?<=import\('\.\/)\w+/g) ?? []
  t.same([...registered].sort(), codes, 'each file is loaded when its language is chosen')
  t.same(codes, Object.keys(LANGUAGES).filter((code) => code !== 'en').sort())
})

for (const code of codes) {
  t.test(`the console says everything in ${LANGUAGES[code]}`, async (t) => {
    const texts = flat((await import(new URL(`${code}.ts`, FOLDER).href))[code])
    t.same([...texts.keys()].sort(), [...english.keys()].sort(), 'no key is missing, none is left over')
    for (const [key, text] of texts) {
      const original = english.get(key) ?? ''
      if (!text.trim()) t.fail(`${key} is empty`)
      if (text !== text.trim()) t.fail(`${key} has space around it`)
      if (`${placeholders(text)}` !== `${placeholders(original)}`) t.fail(`${key} has other placeholders: ${text}`)
      const long = text.split(/\s+/).length > 3
      if (long && text === original && !SAME.includes(text)) t.fail(`${key} is left in English: ${text}`)
    }
  })
}

t.test('French has narrow spaces inside its marks, and German its own quotes', async (t) => {
  for (const [code, wrong] of [['fr', / [?!;:»]|« |["“”]/], ['de', /["”«»]/]] as const) {
    const texts = flat((await import(new URL(`${code}.ts`, FOLDER).href))[code])
    t.same([...texts].filter(([, text]) => wrong.test(text)), [], code)
  }
})

/** What a browser gives a page: the languages of its user, and storage, which may be blocked. */
function browser (t: Test, languages: string[], storage?: Map<string, string>) {
  const blocked = () => { throw new Error('blocked') }
  const document = { documentElement: { lang: '' } }
  const localStorage = {
    getItem: storage ? (key: string) => storage.get(key) ?? null : blocked,
    setItem: storage ? (key: string, value: string) => storage.set(key, value) : blocked
  }
  for (const [name, value] of Object.entries({ document, localStorage, navigator: { languages } })) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { value, configurable: true })
    t.teardown(() => {
      if (before) Object.defineProperty(globalThis, name, before)
      else Reflect.deleteProperty(globalThis, name)
    })
  }
  return document.documentElement
}

t.test('the console speaks the language that was chosen, or the first of the browser that it knows', async (t) => {
  const storage = new Map<string, string>()
  const page = browser(t, ['nl-BE', 'pt-BR', 'de'], storage)
  await speech.speak()
  t.strictSame([speech.language.value, page.lang], ['pt', 'pt'])
  await speech.speak('de')
  t.not(speech.texts.value, en)
  await speech.speak()
  t.equal(page.lang, 'de', 'the choice is kept')
  t.match(speech.shownTime('2026-03-04T12:00:00.000000Z'), '04.03.2026')
  t.equal(speech.shownAgo('2026-03-04T12:00:00Z', Date.parse('2026-03-04T15:10:00Z')), 'vor 3 Stunden')
  t.equal(speech.shownBytes(1_400_000), '1,4 MB')
  t.equal(speech.shownIn('2026-03-04T12:00:00Z', Date.parse('2026-03-04T11:54:30Z')), 'in 6 Min.')
  t.equal(speech.shownIn('2026-03-04T12:00:00Z', Date.parse('2026-03-04T12:00:09Z')), 'in 0 Min.', 'what is over is now')
  storage.set('agenthall:language', 'xx')
  await speech.speak()
  t.equal(page.lang, 'pt', 'a language that is gone is none')
})

t.test('where storage is blocked the browser decides, and English is spoken where it knows none', async (t) => {
  const page = browser(t, ['nl', 'ja'])
  await speech.speak()
  t.strictSame([page.lang, speech.texts.value], ['en', en])
  await speech.speak('fr')
  t.equal(page.lang, 'fr', 'for as long as the page is open')
  await speech.speak('en')
  t.equal(speech.shownAgo('2026-03-04T12:00:00Z', Date.parse('2026-03-04T12:00:20Z')), en.ui.justNow)
  t.equal(speech.shownBytes(1), '1 byte')
  // Was wrong: "last used in 2 minutes", where the reader's clock is two minutes behind the server's.
  t.equal(speech.shownAgo('2026-03-04T12:02:00Z', Date.parse('2026-03-04T12:00:00Z')), en.ui.justNow)
})

t.test('values are put into a text, and what has none stays to be seen', async (t) => {
  t.equal(speech.fill('{n} of {all} in {where}', { n: 1, all: 3 }), '1 of 3 in {where}')
})

/** What nobody is told who works in the console: programs are, visitors, and who starts the server. */
const NEVER_MET = [
  'conflict', 'consent_missing', 'details_missing', 'expectation_failed', 'idempotency_mismatch', 'method_not_allowed',
  'notice_changed', 'range_not_satisfiable'
]

// Was wrong: half of the refusals were said in English, whatever language somebody worked in.
t.test('whatever the server refuses is said in the reader\'s language', async (t) => {
  const { SAID_AS } = await import(new URL('../asking/sentences.ts', FOLDER).href) as { SAID_AS: Record<string, string> }
  const missing = Object.keys(REFUSALS).filter((code) => !((SAID_AS[code] ?? code) in en.refusals))
  t.same(missing.sort(), NEVER_MET)
  t.same(Object.keys(SAID_AS).filter((code) => !(code in REFUSALS)), [], 'nothing is said of what is never refused')
})

t.test('days are said as one says them, and refusals in the language that is read', async (t) => {
  const said = await import(new URL('index.ts', FOLDER).href) as typeof Said
  const { refusalSaid, failureSaid, quoted } =
    await import(new URL('../asking/sentences.ts', FOLDER).href) as typeof Sentences
  const now = new Date(2026, 10, 12, 9, 31)
  const ago = (days: number) => new Date(2026, 10, 12 - days, 23, 59).toISOString()
  const shown = () => [0, 1, 2].map((days) => said.shownDay(ago(days), now))
  t.strictSame(shown(), ['today', 'yesterday', 'November 10, 2026'])
  t.match(said.shownClock(now.toISOString()), /9:31/)
  const refused = { code: 'not_found', message: 'There is no such agent.' }
  const strange = { code: 'never_heard_of', message: 'Something else.' }
  t.strictSame([refused, strange].map(refusalSaid), [refused.message, strange.message], 'as the server says it')
  t.strictSame([failureSaid(refused), quoted('it.')], [refused.message, 'it.'])
  said.language.value = 'de'
  said.texts.value = (await import(new URL('de.ts', FOLDER).href) as { de: typeof said.texts.value }).de
  t.teardown(() => {
    said.language.value = 'en'
    said.texts.value = en
  })
  t.strictSame(shown(), ['heute', 'gestern', '10. November 2026'])
  t.not(refusalSaid(refused), refused.message)
  t.equal(refusalSaid(strange), strange.message, 'what no code is known of stands as it is')
  t.equal(failureSaid(strange), strange.message)
  const [[code, sentence]] = Object.entries(said.texts.value.failures) as [[string, string]]
  t.equal(failureSaid({ code, message: 'x' }), sentence)
  t.match(quoted('it.'), /it\./)
  t.not(quoted('it.'), 'it.')
})

t.test('how long ago something was is short in a row: minutes, then the clock, then the day', async (t) => {
  const now = new Date(2026, 10, 27, 15, 0)
  const days = [[27, 14, 59], [27, 14, 45], [27, 9, 2], [9, 12, 0]] as const
  t.strictSame(
    days.map(([day, hour, minute]) => speech.shownSince(new Date(2026, 10, day, hour, minute).toISOString(), now)
      .replace(/\s/g, ' ')),
    ['1 min', '15 min', '9:02 AM', 'Nov 9']
  )
  t.equal(speech.shownSince(new Date(2025, 10, 9).toISOString(), now), 'Nov 9, 2025')
  t.equal(speech.shownSince(now.toISOString(), now), en.ui.justNow)
})
