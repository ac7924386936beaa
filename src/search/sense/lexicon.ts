import { lazily, ofLatest } from '../../platform/lazily.ts'
import { asset } from '../../platform/process/assets.ts'
import { fold } from '../words/fold.ts'
import { segmentsIn } from '../words/words.ts'
import { isDay, shortDay } from './talk/short-days.ts'

/** Where the table lies in the source tree. */
export const CONCEPTS = 'src/search/sense/concepts.json'

/** The table as it is written: what is said of a concept, and its phrases by language. */
const table = lazily(() => JSON.parse(asset(CONCEPTS).toString()) as Record<string, Record<string, string>>)

/**
 * What customers of small places ask about, in the words of each language: `concepts.json`, which people maintain. A
 * phrase's words stand side by side; `..` lets up to four others between, and `*` any letters.
 * - `under`: the broader concept; `near`: concepts whose text answers it too, and how well, from 0 to 1.
 * - `asks`: the kind of thing that is asked for; `is`: `light` says nothing beside a subject, a `thing` is a customer's
 *   own beside a `service`.
 */
interface Concept { under?: string, asks?: string, near?: string, is?: 'light' | 'thing' | 'service' }
export const concepts = lazily(() => new Map<string, Concept>(Object.entries(table())))

/** Whether a concept's phrases are written in a language. */
const NOT_PHRASES = new Set(['under', 'asks', 'near', 'is'])
/** The languages of the table. */
export const tongues = lazily(() =>
  [...new Set(Object.values(table()).flatMap((row) => Object.keys(row)))].filter((key) => !NOT_PHRASES.has(key)))

/** Concepts that a concept is one of, the nearest first. */
export function broader (concept: string): string[] {
  const above = concepts().get(concept)?.under ?? (concept.startsWith('country:') ? regionOf(concept.slice(8)) : undefined)
  return above === undefined ? [] : [above, ...broader(above)]
}
const EU = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))
const regionOf = (country: string) => EU.has(country) ? 'eu' : 'abroad'

/** A word of a text, folded, and its position. */
export interface Token { word: string, start: number, end: number }
/** A concept, and the numbers of the tokens that stand for it. */
export interface Match { concept: string, at: number[] }

const RUN = /[\p{L}\p{N}\p{M}]+/gu
/** The words of a text; in scripts without spaces what the dictionary takes for one. */
export function tokensOf (text: string): Token[] {
  return segmentsIn(text).map(({ segment, start, end }) => ({ word: fold(segment), start, end }))
}

/** A text in which words are put as they are meant, by how they are folded. */
export function withMeant (text: string, meant: ReadonlyMap<string, string>): string {
  let [put, at] = ['', 0]
  for (const { word, start, end } of tokensOf(text)) {
    const other = meant.get(word)
    if (other === undefined) continue
    put += text.slice(at, start) + other
    at = end
  }
  return put + text.slice(at)
}

/** Words between two of a phrase, where it leaves room: `holt ihr den Hund auch ab`. */
const ROOM = 4
/** Words whose patterns are remembered for each language, twice that at most: then half a megabyte. */
const REMEMBERED = 2500
/** Most words are in no phrase. */
const NONE: readonly number[] = []
/** The numbers of a word's patterns. */
type Patterns = (word: string) => readonly number[]
/** By their first letters patterns are found. */
const FIRST = 3
/** Languages whose compounds are one word that is found by its end, where that is so long. */
const COMPOUNDING = new Set(['de', 'nl', 'sv', 'da'])
const LONG_END = 6

/** How long the beginning of a word is at least that tells it, and what endings may be behind it in a language. */
const TELLING = 5
const ENDINGS = new Map(Object.entries({
  en: 's d r t es ed er ing',
  de: 's e n t es en er em et te st ung',
  nl: 's e n t en er et te st ing',
  sv: 's a e n r t ar er or en et an ade',
  da: 's e n r t er en et te',
  es: 's o a e n os as es an ar er ir',
  pt: 's o a e m os as es am ar er ir',
  it: 'o a i e o are ere ire to ta ti',
  fr: 's e t x es er ir nt ez'
}).map(([tongue, endings]) => [tongue, new Set(['', ...endings.split(' ')])]))
const OTHER_ENDINGS = new Set(['', ...'a e i o u y m t em ie ow om ach ami'.split(' ')])

/**
 * What verbs part with, folded, which then stands at the end of a clause, and how such a verb ends: `Wie melde ich mein
 * Kind an?` is about `anmelden`.
 */
const PARTING = new Map([
  ['de', {
    particles: new Set('ab an auf aus bei ein her hin los mit nach um vor weg weiter zu zuruck zusammen'.split(' ')),
    verb: /(?:e|st|t|en)$/
  }],
  ['nl', { particles: new Set('aan af bij door in mee na om op over terug toe uit weg'.split(' ')), verb: /\p{L}$/u }]
])
/** As many words lie between the two at most, and what ends the clause behind the latter, or before the former. */
const APART = 8
const [CLAUSE_ENDS, BREAK] = [/^[\s"'”’)]*(?:[.,;:!?\n]|$)/, /[.,;:!?\n]/]

/** A phrase: its words by the numbers of their patterns, and behind which of them there is room for others. */
interface Phrase { concept: string, words: number[], room: boolean[] }

/** The phrases of one language. */
interface Phrasebook {
  add (concept: string, phrase: string): void
  /**
   * The concepts of a text and its tokens. `isAsked`: it is a question, whose compounds are more than what they end
   * with.
   */
  find (text: string, tokens: readonly Token[], isAsked: boolean): Match[]
  /** Whether a folded word is one of a phrase. */
  has (word: string): boolean
}

/** Phrases of words that spaces part. */
export class Phrases implements Phrasebook {
  readonly #numbers = new Map<string, number>()
  readonly #exact = new Map<string, number[]>()
  readonly #beginnings = new Map<string, [beginning: string, number: number][]>()
  /** What may stand within or at the end of a word. */
  readonly #parts: [part: string, isEnd: boolean, number: number][] = []
  /** What a compound may end with, by its last letters. */
  readonly #ends = new Map<string, [end: string, number: number][]>()
  readonly #isCompounding: boolean
  readonly #endings: ReadonlySet<string>
  readonly #parting: { particles: ReadonlySet<string>, verb: RegExp } | undefined
  readonly #phrases = new Map<number, Phrase[]>()
  /** What was found for words, of texts and of what is asked. */
  readonly #patternsOf = [false, true].map((isAsked) =>
    ofLatest(REMEMBERED, (word: string) => this.#look(word, isAsked))) as [Patterns, Patterns]

  constructor (tongue: string) {
    this.#isCompounding = COMPOUNDING.has(tongue)
    this.#endings = ENDINGS.get(tongue) ?? OTHER_ENDINGS
    this.#parting = PARTING.get(tongue)
  }

  add (concept: string, phrase: string): void {
    const words: number[] = []
    const room: boolean[] = []
    for (const part of phrase.trim().split(/\s+/)) {
      if (part === '..') {
        room[words.length - 1] = true
        continue
      }
      const runs = fold(part).match(RUN) ?? []
      for (const [i, run] of runs.entries()) {
        words.push(this.#pattern(run, part.startsWith('*') && i === 0, part.endsWith('*') && i === runs.length - 1))
      }
    }
    if (words.length === 0) return
    const [first] = words as [number]
    this.#phrases.set(first, [...(this.#phrases.get(first) ?? []), { concept, words, room }])
  }

  #pattern (run: string, isOpen: boolean, goesOn: boolean): number {
    const key = `${isOpen ? '*' : ''}${run}${goesOn ? '*' : ''}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(key, number)
    if (!isOpen && this.#isCompounding && run.length >= LONG_END) {
      const ends = run.slice(-FIRST)
      this.#ends.set(ends, [...(this.#ends.get(ends) ?? []), [run, number]])
    }
    if (isOpen) this.#parts.push([run, !goesOn, number])
    else if (!goesOn) this.#exact.set(run, [...(this.#exact.get(run) ?? []), number])
    else {
      const begins = run.slice(0, FIRST)
      this.#beginnings.set(begins, [...(this.#beginnings.get(begins) ?? []), [run, number]])
    }
    return number
  }

  #look (word: string, isAsked: boolean): readonly number[] {
    const found = [...(this.#exact.get(word) ?? [])]
    for (let length = 1; length <= FIRST; length++) {
      for (const [run, number] of this.#beginnings.get(word.slice(0, length)) ?? []) {
        if ((length === FIRST || run.length === length) && word.startsWith(run)) found.push(number)
      }
    }
    for (const [end, number] of (isAsked ? undefined : this.#ends.get(word.slice(-FIRST))) ?? []) {
      if (word.length > end.length + 2 && word.endsWith(end)) found.push(number)
    }
    for (const [part, isEnd, number] of this.#parts) {
      if (word.length > part.length && (isEnd ? word.endsWith(part) : word.includes(part, 1))) found.push(number)
    }
    return found.length === 0 ? NONE : found
  }

  has (word: string): boolean {
    return this.#exact.has(word) || (this.#beginnings.get(word.slice(0, FIRST)) ?? [])
      .some(([run]) => run.length >= TELLING && word.startsWith(run) && this.#endings.has(word.slice(run.length)))
  }

  /** The concepts of verbs that stand in two parts. */
  #parted (text: string, tokens: readonly Token[]): Match[] {
    const { particles, verb } = this.#parting ?? {}
    const found: Match[] = []
    for (const [last, { word: particle, end }] of particles ? tokens.entries() : []) {
      if (!particles!.has(particle) || !CLAUSE_ENDS.test(text.slice(end, end + 4))) continue
      for (let at = last - 1; at >= Math.max(0, last - APART); at--) {
        if (BREAK.test(text.slice(tokens[at]!.end, tokens[at + 1]!.start))) break
        const { word } = tokens[at]!
        if (word.length < FIRST || !verb!.test(word)) continue
        const concepts = this.#named(particle + word)
        for (const concept of concepts) found.push({ concept, at: [at, last] })
        if (concepts.length > 0) break
      }
    }
    return found
  }

  /** The concepts that one word names, which may be told by its beginning. */
  #named (word: string): string[] {
    const beginning = (this.#beginnings.get(word.slice(0, FIRST)) ?? []).flatMap(([run, number]) =>
      run.length >= TELLING && word.startsWith(run) ? [number] : [])
    return [...(this.#exact.get(word) ?? []), ...beginning].flatMap((number) =>
      (this.#phrases.get(number) ?? []).flatMap(({ concept, words }) => (words.length === 1 ? [concept] : [])))
  }

  find (text: string, tokens: readonly Token[], isAsked: boolean): Match[] {
    const patternsOf = this.#patternsOf[isAsked ? 1 : 0]
    const patterns = tokens.map(({ word }) => patternsOf(word))
    const found: Match[] = this.#parted(text, tokens)
    for (let from = 0; from < tokens.length; from++) {
      for (const first of patterns[from]!) {
        for (const { concept, words, room } of this.#phrases.get(first) ?? []) {
          const at = places(patterns, from, words, room)
          if (at) found.push({ concept, at })
        }
      }
    }
    return found
  }
}

/**
 * Languages whose phrases are looked for as they are written: no spaces part words, or endings stick to them. By the
 * script that tells each, in the order in which they are told.
 */
const UNSPACED = lazily(() => new Map([
  ['ja', /[\p{sc=Hiragana}\p{sc=Katakana}]/u], ['ko', /\p{sc=Hangul}/u], ['th', /\p{sc=Thai}/u], ['zh', /\p{sc=Han}/u]
]))

/** The phrases of a language without spaces between words. Of those that overlap the longest one is found. */
class Stretches implements Phrasebook {
  readonly #concepts = new Map<string, string[]>()
  #pattern: RegExp | undefined

  add (concept: string, phrase: string): void {
    const plain = phrase.trim().toLowerCase().replaceAll('*', '')
    if (plain !== '') this.#concepts.set(plain, [...(this.#concepts.get(plain) ?? []), concept])
  }

  has (word: string): boolean {
    return this.#concepts.has(word)
  }

  find (text: string, tokens: readonly Token[]): Match[] {
    this.#pattern ??= new RegExp(
      [...this.#concepts.keys()].sort((a, b) => b.length - a.length).map((one) => one.replaceAll(/[.+?()]/g, '\\$&')).join('|'),
      'gu'
    )
    const low = text.toLowerCase()
    const found: Match[] = []
    let next = 0
    for (const { 0: phrase, index } of (low.length === text.length ? low : text).matchAll(this.#pattern)) {
      while (next < tokens.length && tokens[next]!.end <= index) next++
      const at: number[] = []
      for (let i = next; i < tokens.length && tokens[i]!.start < index + phrase.length; i++) at.push(i)
      if (at.length > 0) for (const concept of this.#concepts.get(phrase)!) found.push({ concept, at })
    }
    return found
  }
}

/** Where the words of a phrase stand that begins at `from`; undefined where one is missing. */
function places (
  patterns: readonly (readonly number[])[], from: number, words: number[], room: boolean[]
): number[] | undefined {
  const at = [from]
  for (let i = 1; i < words.length; i++) {
    const last = Math.min(patterns.length - 1, at.at(-1)! + 1 + (room[i - 1] ? ROOM : 0))
    let next = at.at(-1)! + 1
    while (next <= last && !patterns[next]!.includes(words[i]!)) next++
    if (next > last) return undefined
    at.push(next)
  }
  return at
}

/** Names that `Intl` does not have. */
const ALSO = [
  ['GB', 'uk'], ['GB', 'england'], ['GB', 'great britain'], ['GB', 'großbritannien'], ['GB', 'gran bretaña'],
  ['GB', 'inglaterra'], ['GB', 'gran bretagna'], ['US', 'usa'], ['US', 'america'], ['NL', 'holland'], ['NL', 'holanda']
] as const
/** Languages that a place may speak; English is a concept of the table. */
const SPOKEN = 'de fr es it nl pt pl sv da cs ru uk tr ja zh ko th ar fa ro hu el hr bg vi hi'.split(' ')
const WEEKEND: Record<string, string[]> = {
  en: ['weekend*'],
  de: ['wochenende*'],
  es: ['fin de semana', 'fines de semana'],
  fr: ['week end*', 'weekend*'],
  it: ['weekend', 'fine settimana'],
  nl: ['weekend*'],
  pt: ['fim de semana', 'fins de semana'],
  pl: ['weekend*'],
  sv: ['helg*'],
  da: ['weekend*'],
  cs: ['vikend*'],
  ru: ['выходн*'],
  uk: ['вихідн*'],
  tr: ['hafta sonu'],
  ja: ['週末', '土日'],
  zh: ['周末', '週末'],
  ko: ['주말'],
  th: ['สุดสัปดาห์', 'เสาร์อาทิตย์']
}
/** What the days between the weekends are called. */
const WORKDAYS: Record<string, string[]> = {
  en: ['weekday*', 'during the week', 'working days from'],
  de: ['werktags', 'wochentags', 'unter der woche', 'an werktagen'],
  es: ['entre semana', 'días laborables', 'días de diario'],
  fr: ['en semaine', 'jours ouvrables', 'jours de semaine'],
  it: ['giorni feriali', 'nei feriali', 'infrasettimanal*'],
  nl: ['op werkdagen', 'doordeweeks*', 'door de week'],
  pt: ['dias úteis das', 'dias de semana', 'durante a semana'],
  pl: ['w dni robocze', 'w tygodniu', 'dni powszednie'],
  sv: ['vardagar*', 'på vardag*'],
  da: ['hverdag*', 'på hverdage'],
  cs: ['všední dny', 've všední*', 'pracovní dny'],
  ru: ['будни*', 'будням', 'будние'],
  uk: ['будні*', 'буднях'],
  tr: ['hafta içi*'],
  ja: ['平日'],
  zh: ['工作日'],
  ko: ['평일'],
  th: ['วันธรรมดา']
}
/** Other forms of names of days than `Intl` has, from Sunday on: on Wednesday, `w środę`; `Sonn- und Feiertage`. */
const DAYS_INFLECTED: Record<string, string[]> = {
  de: ['sonn', '', '', '', '', '', 'sams'],
  nl: ['zon en feestdag*'],
  sv: ['sön och helg*'],
  da: ['søn og helligdag*'],
  pl: ['niedziel*', 'poniedział*', 'wtork*', 'środę, środy, środzie, środami', 'czwartk*', 'piątk*', 'sobot*, sobót'],
  cs: ['neděl*', 'pondělí, pondělk*', 'úterk*', 'středu, středy, středě', 'čtvrtk*', 'pátk*', 'sobot*'],
  ru: ['воскресен*', 'понедельник*', 'вторник*', 'среду, среды, среде, средам', 'четверг*', 'пятниц*', 'суббот*'],
  uk: ['неділ*', 'понеділ*', 'вівтор*', 'середу, середи, середах', 'четвер*', "п'ятниц*", 'субот*']
}
/** Codes that `Intl` names and that are no countries, or are written as a common word. */
const NO_COUNTRY = /^(?:EU|UN|EZ|Q[M-Z]|X[A-Z]|ZZ)$/

const known = new Map<string, Phrasebook>()
const beingMade = new Map<string, Generator<void, Phrasebook>>()
/** Concepts that are added in one step of making a phrasebook. */
const STEP = 100

function phrasesIn (tongue: string): Phrasebook {
  const before = known.get(tongue)
  if (before) return before
  const making = beingMade.get(tongue) ?? phrasebookOf(tongue)
  let step = making.next()
  while (!step.done) step = making.next()
  beingMade.delete(tongue)
  known.set(tongue, step.value)
  return step.value
}

/** Makes ahead, in steps, what the first text in a language waits for; a text that comes meanwhile makes the rest. */
export function * prepareConcepts (tongue: string): Generator<undefined, void> {
  if (known.has(tongue)) return
  const making = beingMade.get(tongue) ?? phrasebookOf(tongue)
  beingMade.set(tongue, making)
  while (beingMade.get(tongue) === making) {
    const step = making.next()
    if (step.done) {
      beingMade.delete(tongue)
      known.set(tongue, step.value)
    }
    yield undefined
  }
}

/** How Turkish words end before a vowel: my dog, `köpeğim`, of `köpek`. */
const SOFT = new Map([['k', 'ğ'], ['ç', 'c'], ['p', 'b'], ['t', 'd']])
const softened = (phrase: string) => phrase.replaceAll(/[kçpt](?=\*)/g, (end) => SOFT.get(end)!)

function * phrasebookOf (tongue: string): Generator<void, Phrasebook> {
  const phrases = UNSPACED().has(tongue) ? new Stretches() : new Phrases(tongue)
  for (const [at, [concept, row]] of Object.entries(table()).entries()) {
    for (const phrase of (row[tongue] ?? '').split(',')) {
      phrases.add(concept, phrase)
      const soft = tongue === 'tr' ? softened(phrase) : phrase
      if (soft !== phrase) phrases.add(concept, soft)
    }
    if (at % STEP === STEP - 1) yield
  }
  const names = new Intl.DisplayNames(tongue, { type: 'region', fallback: 'none' })
  for (const code of codes()) {
    const name = NO_COUNTRY.test(code) ? undefined : names.of(code)
    if (name) phrases.add('country:' + code, name.split('(', 1)[0]!.trim())
    if (code.endsWith('Z')) yield
  }
  const spoken = new Intl.DisplayNames(tongue, { type: 'language', fallback: 'none' })
  for (const code of SPOKEN) {
    const name = spoken.of(code)
    if (name) phrases.add('language:' + code, name)
  }
  yield
  for (const [code, name] of ALSO) phrases.add('country:' + code, name)
  const daysIn = (weekday: 'long' | 'short') => new Intl.DateTimeFormat(tongue, { weekday, timeZone: 'UTC' })
  const days = { long: daysIn('long'), short: daysIn('short') }
  for (let day = 0; day < 7; day++) {
    const name = (weekday: 'long' | 'short') => days[weekday].format(new Date(Date.UTC(2024, 0, 7 + day)))
    // On Sundays, sonntags, los domingos; of maandag tot, lunedì.
    phrases.add('day:' + day, name('long').split('-')[0]! + '*')
    if (tongue === 'en') phrases.add('day:' + day, name('short'))
    for (const form of (DAYS_INFLECTED[tongue]?.[day] ?? '').split(', ')) phrases.add('day:' + day, form)
    const workdays = day > 0 && day < 6 ? WORKDAYS[tongue] ?? [] : []
    for (const one of [...shortDay(tongue, day), ...workdays]) phrases.add('day:' + day, one)
  }
  yield
  for (const phrase of WEEKEND[tongue] ?? []) for (const day of [0, 6]) phrases.add('day:' + day, phrase)
  for (const [month, names] of monthsIn(tongue).entries()) {
    // A word of its own too, and the commonest one.
    for (const name of names) {
      const isWord = tongue === 'en' && name === 'May'
      for (const one of isWord ? IN_MAY : [name]) phrases.add('month:' + month, one)
    }
  }
  return phrases
}

/** Phrases in which `may` is the month and not the verb. */
const IN_MAY = 'in may, of may, from may, until may, till may, to may, by may, since may, early may, late may, may to, may until'.split(', ')

/** The names of the months, by themselves and behind a day. */
function monthsIn (tongue: string): string[][] {
  const byItself = new Intl.DateTimeFormat(tongue, { month: 'long', timeZone: 'UTC' })
  const behindDay = new Intl.DateTimeFormat(tongue, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => {
    const date = new Date(Date.UTC(2024, month, 7))
    const alone = byItself.format(date)
    const dated = behindDay.formatToParts(date)
    // A number alone is no month, as Japanese and Korean would have it.
    return [...new Set([alone, dated.find(({ type }) => type === 'month')!.value])].filter((name) => /\p{L}/u.test(name))
  })
}

const codes = lazily(() => {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i))
  return letters.flatMap((a) => letters.map((b) => a + b))
})

/** Whether a folded word is one of the table's in one of these languages. */
export const isInTable = (word: string, languages: readonly string[]): boolean =>
  languages.some((one) => tongues().includes(one) && phrasesIn(one).has(word))

/** What stands between the first and the last of a row of days or months; a number is a day of the month. */
const TO = /^(?:to|through|till|until|bis(?: zum)?|a|al|alla|au|à|hasta|até|do|tot|tot en met|t\/m|til|till|по|から|至|到|부터|ถึง|[–〜～~-])$/
const DATE = /(?<!\p{L})(?:\d{1,2}(?:st|nd|rd|th|er|º)?\.?|de|el|le|the|of)(?!\p{L})/giu

/** Whether a concept names when a place is open: a day, a month, or all of them. */
export const namesDay = (concept: string) => concept.startsWith('day:') || concept.startsWith('month:') || concept === 'daily'

/** The concept that days or months belong to: a question about one is answered by saying which ones. */
export function kindsOfDays (concept: string): string[] {
  if (concept.startsWith('day:') || concept === 'daily') return ['days']
  return concept.startsWith('month:') || concept === 'season' ? ['months'] : []
}

/**
 * The concepts of a text in one of these languages, and where; of `Tuesday to Saturday` the days between too, and of
 * `April to October` the months.
 */
export function conceptsIn (
  text: string, tokens: readonly Token[], tongues: readonly string[], isAsked = false
): Match[] {
  const found = tongues.flatMap((tongue) => phrasesIn(tongue).find(text, tokens, isAsked))
    .filter(({ concept, at: [first = 0, ...rest] }) =>
      rest.length > 0 || !concept.startsWith('day:') || isDay(text, tokens, first))
  for (const [kind, many] of [['day:', 7], ['month:', 12]] as const) {
    const named = found.filter(({ concept }) => concept.startsWith(kind)).sort((a, b) => a.at[0]! - b.at[0]!)
    for (const [i, one] of named.slice(1).entries()) {
      const before = named[i]!
      const [from, to] = [tokens[before.at.at(-1)!]!.end, tokens[one.at[0]!]!.start]
      if (to - from > 30 || !TO.test(text.slice(from, to).replaceAll(DATE, ' ').trim().toLowerCase())) continue
      const [first, last] = [before, one].map(({ concept }) => Number(concept.slice(kind.length))) as [number, number]
      for (let next = (first + 1) % many; next !== last; next = (next + 1) % many) {
        found.push({ concept: kind + next, at: before.at })
      }
    }
  }
  return found
}

/**
 * The languages to read a text in: its own where the table has it. A few lines of a table may be taken for another than
 * they are in: what is in none of the table's, or is not told, is read in English too, and in all given.
 */
export function tonguesOf (language: string | null, others: readonly string[] = [], text = ''): readonly string[] {
  if (language !== null && tongues().includes(language)) return [language]
  const written = writtenIn(text)
  return [...new Set([...(written ? [written] : []), ...others, 'en'])].filter((one) => tongues().includes(one))
}

/** The language without spaces between words that a text is in, told by its script; undefined in all others. */
export function writtenIn (text: string): string | undefined {
  return [...UNSPACED()].find(([, letters]) => letters.test(text))?.[0]
}
