import { lazily } from '../platform/lazily.ts'
import { fold } from '../search/words/fold.ts'
import { isUnspaced } from '../search/words/words.ts'

/*
 * How a reader sees a text in which words are hidden from rules: pure functions, linear in the text.
 */

/** A text as it is read, and the range in the original text of each of its units. */
export interface Reading { text: string, from: number[], to: number[] }

/** Soft hyphens, zero-width spaces, blank letters and the like: invisible, but they split words. */
const INVISIBLE = lazily(
  () => /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u2800|\u3164|\uffa0/u
)
/** Letters, digits and their marks. */
const IN_WORD = lazily(() => /[\p{L}\p{N}\p{M}]/u)
const LETTER = lazily(() => /\p{L}/u)
const MARK = lazily(() => /\p{M}/u)
/** What may separate letters written one by one; what is masked separates none. */
const BETWEEN = lazily(() => /[\s.,_\-*·・|/\\+~=:;'’"()[\]{}<>^]/u)
/** Most signs between two letters written one by one. */
const FURTHEST = 3
/** Fewest letters written one by one that are checked. */
export const FEWEST = 3
/** The same where a sign is a word or half a word. */
export const FEWEST_SIGNS = 2
/**
 * A sign that expands to more signs than this is left as it is; so are all, once a text has grown by this factor.
 */
const [LONGEST_SIGN, GROWN] = [6, 2]

const pairs = (from: string, to: string) => [...from].map((letter, at): [string, string] => [letter, [...to][at]!])
/** Letters of other scripts that look like Latin ones in most fonts. */
const CYRILLIC = pairs('аеорсухіјѕһԁԛԝвкмнтгьАВЕКМНОРСТУХІЈЅԌ', 'aeopcyxijshdqwbkmhtrbABEKMHOPCTYXIJSG')
const GREEK = pairs('αορνικτυχεηγωςΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'aopviktuxenywcABEZHIKMNOPTYX')
const OTHERS = pairs('ɑɡɩʟɴʀʏɪʙɢʜօոսհցѵ', 'agilnryibghonuhgv')
/** Those that can make up a whole word that is read as a Latin one. */
const ALIKE = new Set('аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅαορνικυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ')
const LATIN = new Map([...CYRILLIC, ...GREEK, ...OTHERS])
/** The reverse, for words of those scripts with Latin letters in them. */
const SCRIPTS = lazily(() => [
  { letters: /\p{sc=Cyrillic}/u, as: inverse(CYRILLIC) }, { letters: /\p{sc=Greek}/u, as: inverse(GREEK) }
])
const IS_LATIN = lazily(() => /\p{sc=Latin}/u)
const inverse = (letters: Array<[string, string]>) =>
  new Map(letters.toReversed().map(([letter, latin]) => [latin, letter]))

/** A sign as it is read, and its range in the original. */
interface Sign { sign: string, from: number, to: number }

/** Signs processed between two pauses. */
export const PIECE = 500

/**
 * The ways in which a text may be read other than as written: without invisible characters, in plain forms of letters,
 * and with lookalikes replaced by letters of the word's script; none if it hides nothing. Words of one script stay as
 * they are: a Russian text is never read as a Latin one. `plain`: the text in plain forms. Pauses between pieces of the
 * work.
 */
export function * readingsOf (text: string, plain: () => Generator<void, Plain>): Generator<void, Reading[]> {
  if (IS_PLAIN.test(text)) return []
  const { signs, isOther } = yield * plain()
  const words = yield * wordsOf(signs)
  const latin = yield * inLatin(signs, words)
  const others: Sign[][] = []
  for (const [n, { as }] of SCRIPTS().entries()) {
    const mixed = words.filter((word) => word.isLatin && word.isOf[n])
    if (mixed.length > 0) others.push(yield * replaced(signs, mixed, as))
  }
  const readings: Reading[] = []
  for (const read of [...isOther || latin !== signs ? [latin] : [], ...others]) readings.push(yield * readingOf(read))
  return readings
}

/**
 * Letters written one by one with signs between them, each with its position: `l a w`, `l-a-w`. Pauses between pieces
 * of the work.
 */
export function * spelledIn ({ signs }: Plain): Generator<void, Reading[]> {
  const runs: Sign[][] = []
  let run: Sign[] = []
  let gap = 0
  const end = () => {
    const fewest = run.every(({ sign }) => isUnspaced(sign)) ? FEWEST_SIGNS : FEWEST
    if (run.length >= fewest) runs.push(run)
    run = []
  }
  for (let at = 0; at < signs.length; at++) {
    if (at % PIECE === 0) yield
    const one = signs[at]!
    if (BETWEEN().test(one.sign)) {
      if (++gap > FURTHEST) end()
      continue
    }
    const first = at
    while (at + 1 < signs.length && IN_WORD().test(one.sign) && IN_WORD().test(signs[at + 1]!.sign)) at++
    const isAlone = LETTER().test(one.sign) && signs.slice(first + 1, at + 1).every(({ sign }) => MARK().test(sign))
    if (!isAlone) end()
    else run.push({ sign: asSpelled(one.sign), from: one.from, to: signs[at]!.to })
    gap = 0
  }
  end()
  const readings: Reading[] = []
  for (const run of runs) readings.push(yield * readingOf(run))
  return readings
}

// eslint-disable-next-line no-control-regex
const IS_PLAIN = /^[\x00-\x7f]*$/

/** Letters as compared when written one by one, in any script. */
export function asSpelled (letters: string): string {
  return [...fold(letters)].map((letter) => LATIN.get(letter) ?? letter).join('')
}

/** A text in plain forms, without invisible characters, and whether that changed it. */
export interface Plain { signs: Sign[], isOther: boolean }

/** Puts a text into plain forms; pauses between pieces of work. */
export function * plainly (text: string): Generator<void, Plain> {
  const signs: Sign[] = []
  let isOther = false
  let from = 0
  let nth = 0
  for (const one of text) {
    if (++nth % PIECE === 0) yield
    const to = from + one.length
    if (INVISIBLE().test(one)) isOther = true
    else {
      const plain = signs.length > text.length * GROWN ? one : plainForm(one)
      if (plain !== one) isOther = true
      for (const sign of plain) signs.push({ sign, from, to })
    }
    from = to
  }
  return { signs, isOther }
}

/** Circled and squared letters without a plain form in Unicode begin here. */
const FRAMED = [0x1f150, 0x1f170]

function plainForm (sign: string): string {
  if (sign < '\u0080') return sign
  const code = sign.codePointAt(0)!
  const frame = FRAMED.find((first) => code >= first && code < first + 26)
  if (frame !== undefined) return String.fromCharCode(0x41 + code - frame)
  const plain = sign.normalize('NFKC')
  return plain.length > LONGEST_SIGN ? sign : plain
}

/** A word: its signs from one index to before another, and its scripts. */
interface Word { first: number, end: number, isLatin: boolean, isOther: boolean, isOf: boolean[] }

function * wordsOf (signs: readonly Sign[]): Generator<void, Word[]> {
  const words: Word[] = []
  let word: Word | undefined
  for (const [at, { sign }] of signs.entries()) {
    if (at % PIECE === 0) yield
    if (!IN_WORD().test(sign)) {
      word = undefined
      continue
    }
    if (!word) {
      word = { first: at, end: at, isLatin: false, isOther: false, isOf: SCRIPTS().map(() => false) }
      words.push(word)
    }
    word.end = at + 1
    word.isLatin ||= IS_LATIN().test(sign)
    word.isOther ||= OTHER_SCRIPT().test(sign)
    for (const [n, { letters }] of SCRIPTS().entries()) word.isOf[n] ||= letters.test(sign)
  }
  return words
}

/** Whether a Latin text contains letters of other scripts, all of which look Latin. */
function * isAllAlike (signs: readonly Sign[]): Generator<void, boolean> {
  let [latin, alike] = [false, false]
  for (const [at, { sign }] of signs.entries()) {
    if (at % PIECE === 0) yield
    if (!LETTER().test(sign)) continue
    if (IS_LATIN().test(sign)) latin = true
    else if (ALIKE.has(sign)) alike = true
    else return false
  }
  return latin && alike
}

/** With lookalikes replaced by Latin letters, in mixed words, or in all words if all letters look Latin. */
function * inLatin (signs: Sign[], words: readonly Word[]): Generator<void, Sign[]> {
  const meant = (yield * isAllAlike(signs)) ? words : words.filter((word) => word.isLatin && word.isOther)
  const isAny = meant.some(({ first, end }) => {
    for (let at = first; at < end; at++) if (LATIN.has(signs[at]!.sign)) return true
    return false
  })
  return isAny ? yield * replaced(signs, meant, LATIN) : signs
}

const OTHER_SCRIPT = lazily(() => /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}ɑɡɩʟɴʀʏɪʙɢʜ]/u)

function * replaced (
  signs: readonly Sign[], words: readonly Word[], as: ReadonlyMap<string, string>
): Generator<void, Sign[]> {
  const read = [...signs]
  for (const { first, end } of words) {
    for (let at = first; at < end; at++) {
      if (at % PIECE === 0) yield
      const one = signs[at]!
      read[at] = { ...one, sign: as.get(one.sign) ?? one.sign }
    }
  }
  return read
}

function * readingOf (signs: readonly Sign[]): Generator<void, Reading> {
  const [from, to]: [number[], number[]] = [[], []]
  for (const [at, one] of signs.entries()) {
    if (at % PIECE === PIECE - 1) yield
    for (let unit = 0; unit < one.sign.length; unit++) {
      from.push(one.from)
      to.push(one.to)
    }
  }
  return { text: signs.map(({ sign }) => sign).join(''), from, to }
}
