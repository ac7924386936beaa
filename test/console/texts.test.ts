import { CALL_FAILURES } from '../../schema/actions.ts'
import { failureOf } from '../../src/actions/sending/failure.ts'
import type * as Complaints from '../../src/console/browser/asking/complaints.ts'
import type * as Sentences from '../../src/console/browser/asking/sentences.ts'
import type * as Calls from '../../src/console/browser/texts/calls.ts'
import type * as Clocks from '../../src/console/browser/texts/clocks.ts'
import type * as Said from '../../src/console/browser/texts/index.ts'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t, { type Test } from 'tap'
import { REFUSALS } from '../../src/platform/errors.ts'
import { addressRefused, explained, invalidAddress, tooLarge, tooLate } from '../../src/platform/net/egress-error.ts'
import { spanOf } from '../../src/console/browser/pages/figures/spans.ts'
import { en } from '../../src/console/browser/texts/en.ts'

const FOLDER = new URL('../../src/console/browser/texts/', import.meta.url)
/** Texts that come with a page, each in a folder with all languages. */
const OF_PAGES = globSync('*/', { cwd: FOLDER }).map((folder) => basename(folder)).sort()

/** Longer texts that are the same in a language as in English. */
const SAME: string[] = []

/** All texts of a language: what is loaded at once, and what comes with a page. */
async function textsIn (code: string) {
  const said = async (file: string) => (await import(new URL(file, FOLDER).href))[code] as object
  const ofPages = OF_PAGES.map(async (page) => [page, await said(`${page}/${code}.ts`)] as const)
  return flat({ ...await said(`${code}.ts`), ...Object.fromEntries(await Promise.all(ofPages)) })
}

/** Every text by its key: `inbox › views › all`. */
function flat (texts: object, before = ''): Map<string, string> {
  return new Map(Object.entries(texts).flatMap(([key, value]) => {
    return typeof value === 'string' ? [[`${before}${key}`, value]] : [...flat(value, `${before}${key} › `)]
  }))
}

function placeholders (text: string): string[] {
  return [...new Set(text.match(/\{+\w+\}+/g))].sort()
}

const english = await textsIn('en')
// The list is in code for browsers, which the compiler does not let a test import by name.
interface Speech {
  LANGUAGES: Record<string, string>
  language: { value: string }
  texts: { value: typeof en }
  speak (code?: string): Promise<void>
  fill (text: string, values: Record<string, string | number>): string
  shownTime (timestamp: string): string
  shownAgo (timestamp: string, now: number): string
  shownBytes (bytes: number): string
  languageNamed (code: string): string
  languageCalled (code: string): string
}
const speech = (await import(new URL('index.ts', FOLDER).href)) as Speech
const calls = (await import(new URL('calls.ts', FOLDER).href)) as typeof Calls
const clocks = (await import(new URL('clocks.ts', FOLDER).href)) as typeof Clocks
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
    const texts = await textsIn(code)
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
    const texts = await textsIn(code)
    t.same([...texts].filter(([, text]) => wrong.test(text)), [], code)
  }
})

// Was wrong: "Visiteur: lecture" stood there, since labels were joined to what they are of with an English colon.
t.test('no page joins a label and its text with a colon of its own', async (t) => {
  const pages = new URL('../pages/', FOLDER)
  const wrong = globSync('**/*.{ts,tsx}', { cwd: pages })
    // What is sent to another system is not written for a reader.
    .filter((file) => !file.endsWith('try-dialog.tsx'))
    .flatMap((file) => readFileSync(new URL(file, pages), 'utf8').match(/.*(?:\}: \$\{|\}: <|>: \{\w).*/g) ?? [])
  t.strictSame(wrong, [])
})

t.test('Spanish says usted, and Portuguese is the one of Brazil, to the team and to visitors alike', async (t) => {
  // Was wrong: "Separa varias con comas" beside usted, and "ficheiros" on one page that are "arquivos" on the next.
  const informal = /(?<!\p{L})(?:tú|tus?|ti|te|puedes|tienes|quedaste|separa|pongas|di|léelo|cuéntanos)(?!\p{L})|["“”]/iu
  const european = new RegExp([
    '(?<!\\p{L})(?:ficheiros?|equipa|ecrã|consola|encomendas?|elimin\\p{L}+|definições|ligação|contactos?|morada|registo',
    'noutr[oa]|num|numa|prima|introduz\\p{L}*|partilhad[oa]s?|descarregar|porquê|perante)(?!\\p{L})',
    'est(?:á|ão|ou) a \\p{L}+r(?!\\p{L})|["«»]'
  ].join('|'), 'iu')
  for (const [code, wrong] of [['es', informal], ['pt', european]] as const) {
    const { reasons } = await import(new URL(`../pages/bring/reasons/${code}.ts`, FOLDER).href) as { reasons: object }
    const locale = await import(new URL(`../../../locales/${code}.ts`, FOLDER).href) as { default: object }
    const all = [...await textsIn(code), ...flat(reasons), ...flat(locale.default)]
    t.same(all.filter(([, text]) => wrong.test(text)), [], code)
  }
})

/** A page's browser environment: the languages of its user, and storage, which may be blocked. */
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
  t.equal(clocks.shownIn('2026-03-04T12:00:00Z', Date.parse('2026-03-04T11:54:30Z')), 'in 6 Min.')
  t.equal(clocks.shownIn('2026-03-04T12:00:00Z', Date.parse('2026-03-04T12:00:09Z')), 'in 0 Min.', 'what is over is now')
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

t.test('dates are written as they are where the reader is', async (t) => {
  browser(t, ['de-AT', 'en-GB', 'en'])
  await speech.speak('de')
  t.match(speech.shownTime('2026-11-27T12:00:00Z'), /^27\.11\.2026/)
  await speech.speak('en')
  // Was wrong: "Nov 27, 2026", beside British words, to somebody in Britain.
  t.match(speech.shownTime('2026-11-27T12:00:00Z'), /^27 Nov 2026/)
  await speech.speak('de')
  browser(t, ['en-US'])
  await speech.speak('en')
})

t.test('what is wrong with a field begins as a sentence, and a host keeps its spelling', async (t) => {
  const { complaintOf } = await import(new URL('../asking/complaints.ts', FOLDER).href) as typeof Complaints
  const said = (message: string) => complaintOf({ field: 'url', message })
  t.equal(said('url must be shorter.'), 'Must be shorter.')
  // Was wrong: "Localhost:9090 cannot be reached".
  t.equal(said('localhost:9090 cannot be reached'), 'localhost:9090 cannot be reached')
  t.equal(said('shop.example cannot be reached'), 'shop.example cannot be reached')
})

t.test('values are put into a text, and what has none stays to be seen', async (t) => {
  t.equal(speech.fill('{n} of {all} in {where}', { n: 1, all: 3 }), '1 of 3 in {where}')
})

/** Texts that console users never see: those for programs, visitors, and the operator who starts the server. */
const NEVER_MET = [
  'conflict', 'consent_missing', 'details_missing', 'expectation_failed', 'idempotency_mismatch', 'method_not_allowed',
  'notice_changed', 'range_not_satisfiable'
]

// Was wrong: half of the refusals were in English, whatever the user's language.
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
  const shown = () => [0, 1, 2].map((days) => clocks.shownDay(ago(days), now))
  t.strictSame(shown(), ['today', 'yesterday', 'November 10, 2026'])
  t.match(clocks.shownClock(now.toISOString()), /9:31/)
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
    days.map(([day, hour, minute]) => clocks.shownSince(new Date(2026, 10, day, hour, minute).toISOString(), now)
      .replace(/\s/g, ' ')),
    ['1 min', '15 min', '9:02 AM', 'Nov 9']
  )
  t.equal(clocks.shownSince(new Date(2025, 10, 9).toISOString(), now), 'Nov 9, 2025')
  t.equal(clocks.shownSince(now.toISOString(), now), en.ui.justNow)
})

t.test('how long people took is said in minutes, hours or days, whichever is short to read', (t) => {
  // Was wrong: an answer after three days had taken "4,320 min" in one place and "259,200 sec" in another.
  for (const [ms, said] of [
    [0, '0 second'], [800, '0.8 second'], [90_000, '90 second'], [120_000, '2 minute'], [5_400_000, '90 minute'],
    [9_000_000, '2.5 hour'], [259_200_000, '3 day']
  ] as const) {
    const { value, unit } = spanOf(ms)
    t.equal(`${value} ${unit}`, said)
  }
  t.end()
})

t.test('the clock of a visitor tells the town, and the day where it is another than the reader\'s', async (t) => {
  const noon = new Date(2026, 10, 27, 12, 0)
  const spaces = (text: string | undefined) => text?.replace(/\s/g, ' ')
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  t.match(spaces(clocks.shownThere(timeZone, noon)), /^12:00 PM/)
  const at = new Date('2026-11-27T21:32:00Z')
  const shown = (zone: string) => spaces(clocks.shownThere(zone, at))
  const days = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone) => shown(zone)!)
  t.ok(days.some((day) => /^(Friday|Saturday) (at )?\d/.test(day)), 'in one of them it is another day')
  t.match(days, [/ \(Kiritimati\)$/, / \(Pago Pago\)$/])
  t.match(shown('America/Argentina/Buenos_Aires'), /6:32 PM \(Buenos Aires\)$/)
  t.match(shown('Asia/Calcutta'), /3:02 AM \(Kolkata\)$/, 'as it is called today')
  t.match([shown('UTC'), shown('Etc/GMT+3')], [/9:32 PM$/, /6:32 PM$/], 'these are no towns')
  t.equal(shown('Mars/Olympus_Mons'), undefined)
})

// Was wrong: français and español stood in small letters at the beginning of a line.
t.test('a language is called as the reader calls it, with a capital where it stands by itself', async (t) => {
  const { languageCalled, languageNamed } = speech
  t.teardown(() => { speech.language.value = 'en' })
  for (const [reader, ...names] of [
    ['en', 'French', 'French'], ['fr', 'Français', 'français'], ['es', 'Francés', 'francés'], ['pt', 'Francês', 'francês']
  ]) {
    speech.language.value = reader!
    t.strictSame([languageCalled('fr'), languageNamed('fr')], names)
  }
})

t.test('why another system could not be asked is said in every language of the console, by its code', async (t) => {
  // Was wrong: only sentences that the console recognised were said in its language; all others stayed English.
  const url = new URL('https://shop.example/orders')
  const failed = (code: string) => explained(Object.assign(new Error('It broke'), { code }), url)
  const errors = [
    tooLate(url), tooLarge(url, 100), addressRefused(url.host), invalidAddress(),
    ...['ENOTFOUND', 'ECONNRESET', 'CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'UND_ERR_HEADERS_OVERFLOW'].map(failed)
  ].map(failureOf)
  t.strictSame(errors.map((one) => one.error_code), [
    'timeout', 'too_large', 'address_refused', 'address_refused', 'no_such_host', 'unreachable', 'untrusted', 'unreachable',
    'too_large'
  ])
  t.teardown(() => { speech.language.value = 'en' })
  for (const code of codes) {
    speech.language.value = code
    const said = errors.map(({ error, error_code: one }) => calls.callSaid({ error, code: one }))
    t.equal(said.filter((one) => one?.includes(url.host)).length, errors.length - 1, `${code}: all but one name the host`)
    const all = CALL_FAILURES.map((one) => calls.callSaid({ error: 'It failed.', code: one }))
    t.equal(new Set(all).size, code === 'en' ? 1 : CALL_FAILURES.length, `${code}: each has a sentence of its own`)
    t.equal(all.filter((one) => one === undefined || one.includes('{')).length, 0, code)
  }
  speech.language.value = 'de'
  t.equal(
    calls.callSaid({ error: 'The other side answered 503.', code: 'server_error', isLost: true }),
    'Das andere System meldet einen Fehler. Möglicherweise wurde es trotzdem ausgeführt. Es wird nicht noch einmal gesendet.'
  )
  t.equal(calls.callSaid({ error: 'Whatever an older server said.', code: null }), undefined)
})
