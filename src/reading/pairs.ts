/** A question as customers ask it, and what to answer. */
export interface Pair { question: string, answer: string }

/** Pairs as one text: each a line with its question and the lines of its answer, an empty line between pairs. */
export function textOfPairs (pairs: Pair[]): string {
  return pairs
    .map(
      ({ question, answer }) => `${question.trim().replace(/\s+/g, ' ')}\n${answer.trim().replace(/\n\s*\n/g, '\n')}`
    )
    .join('\n\n')
}
