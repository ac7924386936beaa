/** The weight of the sentences around a question relative to it. */
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

/** As much of a message is looked for, in UTF-16 units. */
const LOOKED_FOR = 1000

const sentencesOf = new Intl.Segmenter('und', { granularity: 'sentence' })

/**
 * The sentences of what somebody asked, each with its weight, from 0 to 1: among questions and other sentences,
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

/**
 * What of a message is looked for, 1,000 characters at most: of a longer one its questions, else what it begins with.
 * A message is long where somebody tells a story, and each of its words would take time from everybody.
 */
export function lookedForIn (message: string): string {
  if (message.length <= LOOKED_FOR) return message
  const questions = sentencesByWeight(message).filter(({ weight }) => weight === 1).map(({ text }) => text).join(' ')
  return questions.slice(0, LOOKED_FOR).toWellFormed()
}
