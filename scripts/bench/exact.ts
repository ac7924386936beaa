import type { Passage } from '../../src/search/passage.ts'
import { idf } from '../../src/search/scores.ts'
import type { Language } from '../../src/search/words/languages.ts'
import { queryWords } from '../../src/search/words/query.ts'
import { FORM, wordKeyOf } from '../../src/search/words/key.ts'
import { counted } from '../../src/search/words/words.ts'

const [K1, B] = [1.2, 0.75]

/**
 * Textbook BM25, as a baseline for ours: the same words of the same passages, but each weight exact, the average length
 * that of the collection, every posting read, and nothing added. Ranks documents by their best passage.
 */
export function exactBm25 (documents: { title: string, language: Language | null, passages: Passage[] }[]) {
  const postings = new Map<string, [passage: number, times: number][]>()
  const lengths: number[] = []
  const documentOf: number[] = []
  for (const [document, { title, language, passages }] of documents.entries()) {
    for (const { heading, text } of passages) {
      let length = 0
      for (const { key, times } of counted(`${title}\n${title}\n${heading ?? ''}\n${text}`, language).counts) {
        const holders = postings.get(key) ?? []
        postings.set(key, holders)
        holders.push([lengths.length, times])
        length += times
      }
      lengths.push(length)
      documentOf.push(document)
    }
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const languages = new Set(documents.map(({ language }) => language))
  const spoken = [...languages].map(
    (language) => [language, documents.filter((one) => one.language === language).length] as const
  )

  return function rank (query: string, limit: number): number[] {
    const scores = new Map<number, number>()
    for (const { forms, weight } of queryWords(query, spoken)) {
      const keys = new Set(
        [...forms].flatMap(([language, forms]) => forms.map((form) => wordKeyOf(form, { language, form: FORM })))
      )
      const holders = [...keys].flatMap((key) => postings.get(key) ?? [])
      const worth = idf(holders.length, lengths.length) * weight
      for (const [passage, times] of holders) {
        const gain = worth * times * (K1 + 1) / (times + K1 * (1 - B + B * lengths[passage]! / average))
        scores.set(passage, (scores.get(passage) ?? 0) + gain)
      }
    }
    const ranked = [...scores].sort(([a, one], [b, other]) => other - one || a - b).slice(0, limit)
    return [...new Set(ranked.map(([passage]) => documentOf[passage]!))]
  }
}
