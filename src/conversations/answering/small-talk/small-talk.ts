import { lazily, lazilyInSteps } from '../../../platform/lazily.ts'
import { foldedWords } from '../../../search/words/fold.ts'
import { nearAmong } from '../../../search/words/spelling.ts'
import phrasebooks from './small-talk.json' with { type: 'json' }
import type { Phrases } from '../../../locales/contract.ts'
import { textsInAll } from '../../../locales/list.ts'
import { languagesAskingForPerson } from './person.ts'
import { withoutCourtesies } from '../../../search/sense/talk/courtesies.ts'
import { analyse } from '../../../search/sense/question.ts'
import { isKnown } from '../../../search/words/languages.ts'
import { lookedForIn, queryWords } from '../../../search/words/query.ts'
import places from './place.json' with { type: 'json' }

/** Messages other than questions: greetings, thanks, that all is well or that it is not; who is there, and for what. */
type SmallTalk = 'greeting' | 'thanks' | 'ok' | 'complaint' | 'bye' | 'robot' | 'help'

/** What a message says if it is only small talk, and its possible languages; the likeliest first. */
interface Told { kinds: ReadonlySet<SmallTalk>, languages: readonly string[] }

/**
 * Whole phrases of each kind in a language, separated by `|`, and words (`fill`) that may accompany them. Maintained by
 * hand in `small-talk.json`.
 */
type Phrasebook = Record<SmallTalk | 'fill', string>

/** A language's phrases by their folded form. */
interface Book {
  language: string
  glued: boolean
  phrases: Map<string, SmallTalk>
  fill: Set<string>
  longest: number
  /** The words, or letters, these begin with: hardly any message does. */
  begins: Set<string>
}

const KINDS: readonly SmallTalk[] = ['greeting', 'thanks', 'ok', 'complaint', 'bye', 'robot', 'help']
/** Written without spaces, or with optional spaces. */
const GLUED = ['zh', 'ja', 'ko', 'th']
/** Small talk is never longer; words this long are recognized with one letter mistyped. */
const [LONGEST_SMALL_TALK, MOST_WORDS, MENDED] = [120, 16, 6]
/** Means something else elsewhere: it counts if its language is known to be the visitor's. */
const THINGS = new Set(['salve', 'tag', 'top', 'bra', 'sore', 'bot', 'robot', 'pa', 'ta', 'ade', 'data', 'viva', 'k', 'sai', 'nul'])
/** A letter held down. */
const HELD = /(\p{L})\1{2,}/gu
const ANY_EMOJI = /\p{Extended_Pictographic}/u
const EMOJI: readonly (readonly [SmallTalk, RegExp])[] = [
  ['thanks', /🙏|❤|♥|🥰|😍|💐|🌹/u], ['greeting', /👋/u],
  ['ok', /👍|👌|✅|🆗|☑|✔|💯|🎉|👏|🙂|😊|😀|😃|😄|😁|😉|🤝|🙌|💪|😂|🤣|😅|😎|🤩|⭐/u]
]

const books = Object.entries(phrasebooks as Record<string, Phrasebook>).map(([language, book]) => lazily((): Book => {
  const glued = GLUED.includes(language)
  const read = (text: string) => glued ? foldedWords(text).replaceAll(' ', '') : foldedWords(text)
  const phrases = new Map<string, SmallTalk>()
  for (const kind of KINDS) {
    for (const phrase of book[kind].split('|').map(read)) if (!phrases.has(phrase)) phrases.set(phrase, kind)
  }
  const sizes = [...phrases.keys()].map((phrase) => glued ? phrase.length : phrase.split(' ').length)
  const fill = new Set(book.fill.split('|').map(read))
  const begins = new Set([...phrases.keys(), ...fill].map((phrase) => glued ? phrase[0]! : phrase.split(' ', 1)[0]!))
  return { language, glued, phrases, fill, longest: Math.max(...sizes), begins }
}))

/** Every word of the phrases long enough to be matched mistyped. */
const vocabulary = lazily(() => new Set(books.map((book) => book()).flatMap(({ glued, phrases }) => glued
  ? []
  : [...phrases.keys()].flatMap((phrase) => phrase.split(' ')).filter((word) => word.length >= MENDED))))

const near = lazilyInSteps(() => nearAmong(vocabulary()))
const nearWords = near.get

/** Prepares ahead, a language per step, what would delay the first message. */
export function * prepareSmallTalk (): Generator<void> {
  for (const book of books) {
    book()
    yield
  }
  yield * near.ahead()
}

/**
 * What a message says if it is small talk and nothing else; undefined if it says more. `known`: the visitor's language,
 * as far as known.
 */
function smallTalkIn (text: string, known: string | null = null): Told | undefined {
  if (text.length > LONGEST_SMALL_TALK) return undefined
  const said = foldedWords(text.replaceAll(/[’'`´]/g, ' '))
  if (said === '') return told(emojiIn(text))
  const [words = [], ...shorter] = ['$&', '$1$1', '$1'].map((letters) => said.replaceAll(HELD, letters).split(' '))
  if (words.length > MOST_WORDS) return undefined
  for (const read of [words, ...shorter, words.map(mended)]) {
    const told = readIn(read, known)
    if (told) return told
  }
  return undefined
}

function readIn (words: readonly string[], known: string | null): Told | undefined {
  const [first = ''] = words
  const found = books.map((book) => book()).flatMap((book) => {
    if (words.length === 1 && THINGS.has(first) && book.language !== known) return []
    if (!book.begins.has(book.glued ? first[0]! : first)) return []
    const kinds = book.glued ? coveredByLetters(words.join(''), book) : coveredByWords(words, book)
    return kinds ? [{ language: book.language, kinds }] : []
  })
  const best = found.find(({ language }) => language === known) ?? found[0]
  return best && { kinds: best.kinds, languages: found.map(({ language }) => language) }
}

/** The kinds of phrases that make up the words, longest first; undefined if a word is left. */
function coveredByWords (words: readonly string[], { phrases, fill, longest }: Book): Set<SmallTalk> | undefined {
  const [kinds, beside] = [new Set<SmallTalk>(), new Set<SmallTalk>()]
  for (let at = 0; at < words.length;) {
    let size = Math.min(longest, words.length - at)
    let kind: SmallTalk | undefined
    while (size > 0 && (kind = phrases.get(words.slice(at, at + size).join(' '))) === undefined) size--
    const isFill = size <= 1 && fill.has(words[at]!)
    if (kind) (isFill ? beside : kinds).add(kind)
    else if (!isFill) return undefined
    at += Math.max(1, size)
  }
  // "Help" alone is a request; in "thanks for your help" it is not.
  if (kinds.size > 0) return kinds
  return beside.size > 0 ? beside : undefined
}

/** The same for text without spaces. */
function coveredByLetters (text: string, { phrases, fill, longest }: Book): Set<SmallTalk> | undefined {
  const kinds = new Set<SmallTalk>()
  for (let at = 0; at < text.length;) {
    let size = Math.min(longest, text.length - at)
    const part = () => text.slice(at, at + size)
    while (size > 0 && !phrases.has(part()) && !fill.has(part())) size--
    if (size === 0) return undefined
    const kind = phrases.get(part())
    if (kind) kinds.add(kind)
    at += size
  }
  return kinds.size > 0 ? kinds : undefined
}

/** A word with its one wrong letter corrected, or two swapped ones. */
function mended (word: string): string {
  if (word.length < MENDED || vocabulary().has(word)) return word
  return nearWords()(word)[0] ?? word
}

/** Messages without words: a thumb, or just a question mark. */
function emojiIn (text: string): SmallTalk | undefined {
  if (!ANY_EMOJI.test(text)) return /[?？؟]/u.test(text) ? 'help' : undefined
  return EMOJI.find(([, emoji]) => emoji.test(text))?.[0] ?? 'help'
}

const told = (kind: SmallTalk | undefined): Told | undefined =>
  kind && { kinds: new Set([kind]), languages: [] }

/** What a message can be recognized as without a model or a search. */
export type Canned = SmallTalk | 'person'

/** Which of several things said is answered: "ok, thanks, bye" by a goodbye. */
const ORDER: readonly SmallTalk[] = ['robot', 'help', 'complaint', 'bye', 'thanks', 'ok', 'greeting']

/**
 * Whether a message is only small talk, or asks for a person. Undefined: it has to be answered. `known`: the visitor's
 * language, as far as known.
 */
export function canned (text: string, known: string | null = null): Canned | undefined {
  const told = smallTalkIn(text, known)
  if (told) return ORDER.find((kind) => told.kinds.has(kind))
  return languagesAskingForPerson(text).length > 0 ? 'person' : undefined
}

/** Where a sentence ends. */
const SENTENCE = /\n|(?<=[.!?…。！？؟])\s/u
/** Further sentences are not looked at. */
const MOST_SENTENCES = 20

/**
 * What else is said by a message that asks whether an AI answers, beside something else; undefined for any other.
 */
export function besideWhetherAi (text: string, known: string | null = null): string | undefined {
  if (smallTalkIn(text, known)) return undefined
  const sentences = text.split(SENTENCE, MOST_SENTENCES + 1)
  if (sentences.length < 2 || sentences.length > MOST_SENTENCES) return undefined
  const rest = sentences.filter((one) => !smallTalkIn(one, known)?.kinds.has('robot'))
  return rest.length < sentences.length ? rest.join('\n') : undefined
}

/** Whether a message thanks, and is otherwise only small talk. */
export const isThanks = (text: string): boolean => smallTalkIn(text)?.kinds.has('thanks') ?? false

/** This many languages sharing a wording are close to each other: any will do. */
const NEAR = 2

/**
 * The language of small talk or of a request for a person: the likely one of those sharing the words, else the first;
 * null for anything else, and for what half the world says.
 */
export function languageOfCourtesy (text: string, likely: string | null = null): string | null {
  const told = smallTalkIn(text)
  const languages = told?.languages ?? languagesAskingForPerson(text)
  if (likely !== null && languages.includes(likely)) return likely
  const isTelling = languages.length <= NEAR || told?.kinds.has('greeting') || told?.kinds.has('thanks')
  return (isTelling ? languages[0] : undefined) ?? null
}

/** What the whole world says: where a language is known, it tells no other. */
const WORLDLY = new Set('hi hello hey thanks thx ty merci bye ciao ok okay super top please sorry'.split(' '))

/**
 * The language of small talk that tells one, if the known language does not have it; null for anything else. A few
 * words say too little for a language to be recognized otherwise.
 */
export function otherLanguageOfSmallTalk (text: string, known: string): string | null {
  const told = smallTalkIn(text, known)
  if (!told || told.languages.includes(known)) return null
  if (foldedWords(text).split(' ').every((word) => WORLDLY.has(word))) return null
  return languageOfCourtesy(text)
}

/** The agent's reply. `contact`: where a person can be reached, if anywhere; `isFirst`: it has introduced itself. */
export function cannedAnswer (
  kind: Canned,
  phrases: Phrases,
  { welcome, contact, isFirst = false }: { welcome: string, contact: string | null, isFirst?: boolean }
): string {
  const writeTo = contact && phrases.writeTo.replace('{contact}', contact)
  switch (kind) {
    case 'greeting': return welcome || phrases.greeting
    case 'thanks': return phrases.thanks
    case 'ok': return phrases.ok
    case 'bye': return phrases.bye
    case 'robot': return isFirst ? phrases.canHelp : `${phrases.isAi} ${phrases.canHelp}`
    case 'help': return phrases.canHelp
    case 'complaint': return writeTo ? `${phrases.sorry} ${writeTo}` : phrases.sorry
    case 'person': return writeTo || phrases.noPerson
  }
}

const NOTICES = new Set<string>(textsInAll('agent').map(({ isAi }) => isAi))

const HELPS: readonly string[] = textsInAll('agent').map(({ mayHelp }) => mayHelp)

/** Whether an answer only offers what may help, in any language. */
export function saysMayHelp (text: string): boolean {
  const said = withoutNotice(text)
  return HELPS.some((phrase) => said.startsWith(phrase))
}

/** An answer without the notice at the start of the first one, in any language. */
export function withoutNotice (text: string): string {
  const [first = ''] = text.split('\n\n', 1)
  return NOTICES.has(first) ? text.slice(first.length + 2) : text
}

/** Nobody asks where a business is in a longer message. */
const LONGEST_ASKING_PLACE = 160

/** Whole wordings that the search's concepts do not cover; maintained by hand in `place.json`. */
const wordingsOfPlaces = lazily(() => new Map(Object.entries(places).reverse().flatMap(([language, all]) =>
  all.split('|').map((one) => [foldedWords(one), language]))))

/**
 * The language in which a message asks where the business itself is, and nothing else: not for a parcel, a part of it,
 * or an e-mail address; null if the language is unclear, undefined if nobody asks. `language`: the visitor's, as far as
 * known.
 */
export function placeAskedIn (text: string, language: string | null): string | null | undefined {
  if (text.length > LONGEST_ASKING_PLACE) return undefined
  const asked = withoutCourtesies(lookedForIn(text))
  const told = wordingsOfPlaces().get(foldedWords(asked)) ?? wordingsOfPlaces().get(foldedWords(text))
  if (told !== undefined) return told
  const spoken = [[isKnown(language) ? language : null, 1]] as const
  const { ofPlace, wants, language: written } = analyse(asked, queryWords(asked, spoken), spoken)
  return ofPlace && wants.has('address') && !wants.has('email') ? written : undefined
}

/** A multi-line address as a sentence has it. */
export const inOneLine = (address: string): string => address.replaceAll(/,?\n/g, ', ')
