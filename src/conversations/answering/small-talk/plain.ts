import { fold } from '../../../search/words/fold.ts'

/** Folded words with one space between, without punctuation and emoji. */
export function plain (text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim()
}
