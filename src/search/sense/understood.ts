import type { Sliced, Work } from '../../platform/storage/work.ts'
import type { Terms } from '../index/blocks.ts'
import { explain } from '../own/explain.ts'
import type { OwnPhrases } from '../own/phrases.ts'
import type { Prior } from '../words/guess.ts'
import { queryWords, type QueryWord } from '../words/query.ts'
import { spellingOf, type Spellings } from '../words/spelling.ts'
import { analyse, isKnown, isOfName, type Question } from './question.ts'
import { tokensOf } from './lexicon.ts'
import { restated } from './restate.ts'
import { languageOfQuestion } from './talk/asking.ts'
import { spelledOut } from './talk/ordinary.ts'

/** Words of a query that are looked up. */
const LOOKED_UP = 64
/** Unknown words of a query that are taken for typos. */
export const GUESSED_AT = 6

/** Long words tend to be rare: looked up first, so that the frequent ones do not use up the budget. */
export const longestFirst = (words: readonly QueryWord[]) =>
  words.toSorted((a, b) => b.plain.length - a.plain.length).slice(0, LOOKED_UP)

/** A question taken apart, and the words that are looked for. */
interface Understood { words: QueryWord[], question: Question }

interface UnderstandingNeeds {
  ownOf: (agent: number) => Sliced<OwnPhrases | undefined>
  spellingsOf: (agent: number) => Sliced<Spellings>
}

/**
 * Analyses a question: as it was typed, or, if some of its words are unknown, as they may have been meant. `ownOf`:
 * what words mean in the business of an agent; `spellingsOf`: its vocabulary; `look`: where a word occurs. Takes steps
 * of a few milliseconds.
 */
export const understanding = ({ ownOf, spellingsOf }: UnderstandingNeeds) => function * (
  agent: number, typed: string, prior: Prior, look: (word: QueryWord) => Work<Terms>
): Sliced<Understood> {
  const own = yield * ownOf(agent)
  const language = languageOfQuestion(typed, tokensOf(typed), prior)
  const meant = spelledOut(typed, language)
  function * analysed (text: string): Sliced<Understood> {
    const words = queryWords(text, prior)
    yield
    const question = analyse(text, words, prior, text === typed ? language : undefined)
    yield
    if (own) yield * explain(own, question, words, text, prior)
    return { words, question }
  }
  const asked = yield * analysed(meant)
  const strange: QueryWord[] = []
  for (const word of longestFirst(asked.words)) {
    if (strange.length === GUESSED_AT) break
    const isSpelt = isKnown(asked.question, word) || isOfName(asked.question, word)
    if (isSpelt || spellingOf(word.plain) === 0) continue
    if ((yield * look(word)).length === 0) strange.push(word)
  }
  if (strange.length === 0) return asked
  const languages = [...new Set([asked.question.language ?? 'en', ...prior.map(([language]) => language ?? 'en')])]
  const text = yield * restated(meant, strange, { languages, spellings: yield * spellingsOf(agent) })
  return text === meant ? asked : yield * analysed(text)
}
