/** What the sentences around a question count beside it. */
const AROUND = 0.3

/**
 * Marks that end a question, whatever closes behind them. The Greek one looks like a semicolon, and mostly is typed as
 * one.
 */
const ENDS_QUESTION = /(?:[?？؟\u037e⸮፧՞]|[\p{sc=Greek}];)["'”’»)\]\s]*$/u
/** Words that begin a question where nobody typed its mark. Those that begin as many other sentences are left out. */
const BEGINS_QUESTION = new RegExp(`^(?:${[
  'how|what|when|where|who|whom|whose|why|which',
  'wie|was|wann|wo|wohin|wer|wem|wen|warum|wieso|welche[rsmn]?|wieviele?',
  'comment|quand|où|pourquoi|combien|quels?|quelles?', 'cómo|cuándo|dónde|quién|quiénes|cuánt[oa]s?|cuál|cuáles',
  'quando|dove|chi|perché|quant[oiae]|quale|quali', 'onde|quem|quais|qual|hoe|wanneer|waar|waarom|welke'
].join('|')})(?![\\p{L}\\p{M}'’])`, 'iu')

const sentencesOf = new Intl.Segmenter('und', { granularity: 'sentence' })

/**
 * The sentences of what somebody asked, each with its weight, from 0 to 1: where questions stand among other sentences,
 * the others are mostly politeness, and must not outrank them.
 */
export function sentencesByWeight (query: string): { text: string, weight: number }[] {
  const sentences = [...sentencesOf.segment(query)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '')
  const isQuestion = sentences.map((sentence) => ENDS_QUESTION.test(sentence) || BEGINS_QUESTION.test(sentence))
  if (!isQuestion.includes(true) || !isQuestion.includes(false)) return [{ text: query, weight: 1 }]
  return sentences.map((text, at) => ({ text, weight: isQuestion[at] ? 1 : AROUND }))
}
