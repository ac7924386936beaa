/** Diacritics, which need not be typed. */
const MARKS = /\p{M}/gu

const plain = (text: string) => text.normalize('NFD').replaceAll(MARKS, '').toLowerCase()

/** Whether each typed word is a prefix of a word of the label. */
export function matches (label: string, typed: string): boolean {
  const words = plain(label).split(/[^\p{L}\p{N}]+/u)
  return plain(typed).split(/\s+/).every((part) => part === '' || words.some((word) => word.startsWith(part)))
}
