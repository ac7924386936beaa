import type { Language } from './languages.ts'

/**
 * How the words of a training were taken apart and written into the index: in which language, and by which version of
 * the rules (`FORM`). Words meet only words of their own dialect.
 */
export interface Dialect { language: Language | null, form: number }

/**
 * The version of the rules by which words are written into the index. What was indexed by an older one is still found,
 * by its own rules, until it is trained again. 0, up to 0.4: stems of all languages in one. 1: more than
 * one form of many words in several languages (`stemmerBefore`), and Dutch compounds whole.
 */
export const FORM = 2

/**
 * A word's key in the index: 41 bits as 8 digits and letters (FNV-1a, twice, since one has but 32), so that
 * of a million words hardly any shares its key with another, and a word that was deleted is not in the file even
 * where the index keeps its key. Words of two languages have nothing to do with each other, even where their stems are
 * alike.
 */
export function wordKeyOf (word: string, { language, form }: Dialect): string {
  return hashOf(form === 0 || language === null ? word : `${language}:${word}`)
}

function hashOf (word: string): string {
  let high = 0x811c9dc5
  let low = 0x2b3c4d5e
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ unit, 0x01000193) ^ (low >>> 15)
  }
  return ((high >>> 0) * 512 + ((low ^ low >>> 16) & 511)).toString(36).padStart(8, '0')
}
