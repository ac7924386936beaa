import { lazily, lazilyInSteps } from '../../../platform/lazily.ts'
import { foldedWords } from '../../../search/words/fold.ts'
import { nearAmong } from '../../../search/words/spelling.ts'
import table from './small-talk.json' with { type: 'json' }

/** Messages other than questions: greetings, thanks, that all is well or that it is not; who is there, and for what. */
export type SmallTalk = 'greeting' | 'thanks' | 'ok' | 'complaint' | 'bye' | 'robot' | 'help'

/** What a message says if it is only small talk, and its possible languages; the likeliest first. */
export interface Told { kinds: ReadonlySet<SmallTalk>, languages: readonly string[] }

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

const books = Object.entries(table as Record<string, Phrasebook>).map(([language, book]) => lazily((): Book => {
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
export function smallTalkIn (text: string, known: string | null = null): Told | undefined {
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
