import { lazily } from '../../platform/lazily.ts'

/** Marks that people leave out when they type. Elsewhere they are vowels (Thai, Hindi) or letters (й, が) and stay. */
const DIACRITICS = lazily(() => /([\p{sc=Latin}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu)
const LETTERS: Record<string, string> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i', ё: 'е', ς: 'σ'
}

/** Folds compatibility forms, case and the diacritics people leave out: `Ｃafé` → `cafe`, `Straße` → `strasse`. */
export function fold (text: string): string {
  const lower = text.normalize('NFKC').toLowerCase()
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(DIACRITICS(), '$1')
    .normalize('NFC')
    .replace(/[ßæœøđðþłıёς]/g, (letter) => LETTERS[letter]!)
}

/** Folded words with one space between, without punctuation and emoji. */
export function foldedWords (text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim()
}

/** The words of a list, between which there are spaces. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))
