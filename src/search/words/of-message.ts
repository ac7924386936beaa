import { evidenceIn, languagesIn, type Prior } from './guess.ts'
import type { Language } from './languages.ts'
import { words } from './words.ts'

/** What is known of a visitor's language before what they write is looked at. */
export interface KnownLanguage {
  /** That of the page and of the conversation so far, ISO 639-1. */
  given?: string | null | undefined
  /** How many passages of the agent are in each language. */
  spoken?: Prior
}

/**
 * Scripts by their first and last letters, and how much a letter says in them compared with one of an alphabet: a
 * Chinese sign is a word or half of one. `language`: the one that is written in it.
 */
const SCRIPTS: readonly { name: string, ranges: [number, number][], weight: number, language?: string }[] = [
  { name: 'latin', ranges: [[0x41, 0x5a], [0x61, 0x7a], [0xaa, 0x24f], [0x1e00, 0x1eff]], weight: 1 },
  { name: 'cyrillic', ranges: [[0x400, 0x52f]], weight: 1 },
  { name: 'arabic', ranges: [[0x600, 0x77f], [0xfb50, 0xfdff], [0xfe70, 0xfeff]], weight: 1 },
  { name: 'greek', ranges: [[0x370, 0x3ff], [0x1f00, 0x1fff]], weight: 1, language: 'el' },
  { name: 'armenian', ranges: [[0x530, 0x58f]], weight: 1, language: 'hy' },
  { name: 'hebrew', ranges: [[0x590, 0x5ff]], weight: 1, language: 'he' },
  { name: 'devanagari', ranges: [[0x900, 0x97f]], weight: 1, language: 'hi' },
  { name: 'bengali', ranges: [[0x980, 0x9ff]], weight: 1, language: 'bn' },
  { name: 'tamil', ranges: [[0xb80, 0xbff]], weight: 1, language: 'ta' },
  { name: 'thai', ranges: [[0xe00, 0xe7f]], weight: 1, language: 'th' },
  { name: 'georgian', ranges: [[0x10a0, 0x10ff]], weight: 1, language: 'ka' },
  { name: 'hangul', ranges: [[0x1100, 0x11ff], [0xac00, 0xd7af]], weight: 2, language: 'ko' },
  { name: 'chinese', ranges: [[0x3040, 0x30ff], [0x3400, 0x4dbf], [0x4e00, 0x9fff]], weight: 2 }
]
/** Those whose languages are recognised by their words. */
const TOLD_BY_WORDS: Readonly<Record<string, string>> = { latin: 'a', cyrillic: 'а', arabic: 'ا' }

/** Hiragana but for の, which Chinese shops like to write; katakana, which names are written in; Chinese particles. */
const HIRAGANA = /[\u3041-\u306d\u306f-\u309f]/
const KATAKANA = /[\u30a1-\u30fa]/
const CHINESE = /[我你们們吗嗎这這么麼吧呢请請没沒您]/

/** More of a message is not looked at. */
const LOOKED_AT = 2000
/** Latin letters without two everyday words among them are names, of which a part of the letters counts. */
const [SENSE, OF_NAMES] = [4, 1 / 3]
/** A script that the given language is written in counts as the message's from this share of its letters on. */
const GIVEN_SHARE = 1 / 3
/** Fewer Latin words than this say too little about their language, and than this are no sentence. */
const [TELLING, SENTENCE] = [3, 4]
/** By how much what tells another language has to outweigh the given one, as a logarithm of odds, and by word. */
const [SURELY, A_WORD] = [4, 0.5]
/** The same where it is that of most of the sources: many pages say that they are English and are not. */
const SURELY_OWN = 2.5
/** What a few Latin words have to tell where none is given: letters and endings alone do not. */
const LEAST = 3
/** How much likelier a language of the agent's sources is, or English, than one that nothing speaks for. */
const SPOKEN = 1.5
/** How much likelier that of most of them is than the others, when judging the asker only. */
const MOSTLY = 0.5
/** A language in which less of the sources is says nothing about who asks. */
const SHARE = 0.1

/**
 * The language of what somebody wrote, ISO 639-1; the given one unless most letters, or a whole sentence, are surely
 * another's. Null where none is given and the words do not tell.
 */
export function languageOfMessage (text: string, { given = null, spoken = [] }: KnownLanguage = {}): string | null {
  const looked = text.slice(0, LOOKED_AT)
  const folded = words(looked, null)
  const script = scriptOf(looked, folded, given)
  if (script === undefined) return given
  if (script.language) return script.language
  if (script.name === 'chinese') return isJapanese(looked, given) ? 'ja' : 'zh'
  return byWords(looked, folded, script.name, { given, spoken })
}

/** The language in which more of an agent's texts are than in any other; null where none is. */
export function mostlySpoken (spoken: Prior): string | null {
  return spoken.reduce<Prior[number]>((most, one) => one[1] > most[1] ? one : most, [null, 0])[0]
}

/** The script that most of the letters are of. */
function scriptOf (text: string, folded: readonly string[], given: string | null) {
  const counts = new Map<(typeof SCRIPTS)[number], number>()
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x41) continue
    const script = SCRIPTS.find(({ ranges }) => ranges.some(([from, to]) => unit >= from && unit <= to))
    if (script) counts.set(script, (counts.get(script) ?? 0) + script.weight)
  }
  const latin = SCRIPTS[0]!
  if (counts.size > 1 && counts.has(latin) && !hasSense(folded)) {
    counts.set(latin, counts.get(latin)! * OF_NAMES)
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const ordered = [...counts].sort(([, a], [, b]) => b - a)
  const fitting = given !== null && ordered.find(([script, count]) =>
    count >= all * GIVEN_SHARE && languagesOf(script).includes(given))
  return (fitting || ordered[0])?.[0]
}

function languagesOf ({ name, language }: (typeof SCRIPTS)[number]): readonly string[] {
  if (language) return [language]
  return name === 'chinese' ? ['ja', 'zh'] : candidates(name)
}

const candidates = (script: string): readonly Language[] => languagesIn(TOLD_BY_WORDS[script]!)

/** Whether an everyday word is among the Latin ones. */
function hasSense (folded: readonly string[]): boolean {
  const latin = folded.filter((word) => word >= 'a' && word <= 'zzz')
  return Math.max(0, ...evidenceIn('', latin, candidates('latin')).values()) >= SENSE
}

function isJapanese (text: string, given: string | null): boolean {
  if (HIRAGANA.test(text)) return true
  if (CHINESE.test(text)) return false
  return KATAKANA.test(text) || given === 'ja'
}

function byWords (
  text: string, folded: readonly string[], script: string, { given, spoken }: Required<KnownLanguage>
): string | null {
  const distinct = folded.filter((word) => languagesIn(word) === candidates(script))
  const isLatin = script === 'latin'
  if (isLatin && distinct.length < TELLING) return given
  const evidence = evidenceIn(text, distinct, candidates(script))
  const likely = likelyIn(spoken)
  const mostly = mostlySpoken(spoken)
  const prior = (language: string) => (likely.has(language) ? 0 : -SPOKEN) + (language === mostly ? MOSTLY : 0)
  const [[best, most] = [null, 0]] = [...evidence]
    .map(([language, odds]) => [language, odds, odds + prior(language)] as const)
    .sort(([, , a], [, , b]) => b - a)
  const isOfScript = given !== null && candidates(script).includes(given as Language)
  if (given !== null && (isLatin || isOfScript)) {
    const [surely, words] = best === mostly ? [SURELY_OWN, TELLING] : [SURELY, SENTENCE]
    const isSure = most - (evidence.get(given as Language) ?? 0) >= surely && most >= distinct.length * A_WORD
    return distinct.length >= words && isSure ? best : given
  }
  // Few words may be common in a language that nobody speaks here: `do u deliver` is no Czech.
  const isStrange = mostly !== null && best !== null && !likely.has(best) && distinct.length < SENTENCE
  const least = isStrange ? SURELY + (evidence.get(mostly as Language) ?? 0) : LEAST
  if (isLatin) return most >= Math.max(least, distinct.length * A_WORD) ? best : null
  return most > 0 ? best : candidates(script).find((language) => likely.has(language)) ?? candidates(script)[0]!
}

/** What the agent's sources make likely, and English. */
function likelyIn (spoken: Prior): Set<string | null> {
  const all = spoken.reduce((sum, [, passages]) => sum + passages, 0)
  return new Set(['en', ...spoken.filter(([, passages]) => passages >= all * SHARE).map(([language]) => language)])
}
