/** Signs above and below letters, which nobody has to type. */
const MARKS = /\p{M}/gu

const plain = (text: string) => text.normalize('NFD').replaceAll(MARKS, '').toLowerCase()

/** Whether every word that is typed begins a word of a label. */
export function matches (label: string, typed: string): boolean {
  const words = plain(label).split(/[^\p{L}\p{N}]+/u)
  return plain(typed).split(/\s+/).every((part) => part === '' || words.some((word) => word.startsWith(part)))
}
