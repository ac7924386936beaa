/** Characters of a passage, and sentences of it, that are compared. */
const MOST_CHARS = 2000
const MOST_SENTENCES = 24
/** Words that two sentences must share to be about the same thing: a number, and a share of the shorter one. */
const SHARED = { words: 4, share: 0.6 }

interface Sentence { words: Set<string>, numbers: Set<string> }

const NUMBERS = /\d+(?:[.,:/-]\d+)*/g

function sentencesOf (text: string): Sentence[] {
  return text.slice(0, MOST_CHARS).split(/(?<=[.!?。！？])\s|\n/).slice(0, MOST_SENTENCES).flatMap((one) => {
    const numbers = new Set(one.match(NUMBERS) ?? [])
    if (numbers.size === 0) return []
    const words = new Set(one.toLowerCase().replace(NUMBERS, ' ').match(/[\p{L}\p{M}]{3,}/gu) ?? [])
    return words.size < SHARED.words ? [] : [{ words, numbers }]
  })
}

/**
 * Whether two passages say different figures or dates about the same: two of their sentences share most of their words,
 * and neither has all the numbers of the other. Judged by words alone, so it is only a reason to check.
 */
export function contradicts (a: string, b: string): boolean {
  const others = sentencesOf(b)
  return sentencesOf(a).some((one) => others.some((other) => {
    const shared = [...one.words].filter((word) => other.words.has(word)).length
    if (shared < SHARED.words || shared < SHARED.share * Math.min(one.words.size, other.words.size)) return false
    return [one, other].every((x, at) => [...x.numbers].some((number) => ![other, one][at]!.numbers.has(number)))
  }))
}
