import { lazily } from '../../../platform/lazily.ts'
import { prepareCompounds } from '../../words/compounds.ts'
import table from './asking.json' with { type: 'json' }
import { conceptsIn, prepareConcepts, tokensOf, tongues, tonguesOf, writtenIn, type Token } from '../lexicon.ts'
import { prepareOwnCase } from './own-case.ts'

/** Words of asking by language, folded: they say nothing about a subject (`asking.json`, which people maintain). */
const ASKING = lazily(() =>
  new Map(Object.entries(table as Record<string, string>).map(([language, words]) => [language, new Set(words.split(' '))]))
)

/** In Japanese particles, endings and verbs of asking, however a dictionary cuts them; things have other letters. */
const HIRAGANA = /^\p{sc=Hiragana}+$/u

/** Pronouns that are written at the end of verbs in Spanish, Italian and Portuguese: `hacerlo`, `farlo`. */
const PRONOUNS = /(?<=[aeir]r)(?:me|te|se|lo|la|le|los|las|les|li|nos|vi|ne|mi|ti|si|ci)$/
const WITH_PRONOUNS = new Set(['es', 'it', 'pt'])

/** Whether a folded word only asks, in one of these languages. */
export function isAsking (word: string, languages: Iterable<string>): boolean {
  for (const language of languages) {
    const asking = ASKING().get(language)
    if (asking?.has(word) || (language === 'ja' && HIRAGANA.test(word))) return true
    if (!asking || !WITH_PRONOUNS.has(language) || !PRONOUNS.test(word)) continue
    const verb = word.replace(PRONOUNS, '')
    if (asking.has(verb) || asking.has(verb + 'e')) return true
  }
  return false
}

/** Letters and marks that only one of the table's languages has: a short question may have no other sign of it. */
const LETTERS = lazily((): [string, RegExp][] => [
  ['es', /[¿¡ñ]/iu], ['pt', /[ãõ]/iu], ['de', /[äöüß]/iu], ['fr', /[œèêûîëç]/iu], ['pl', /[łżźśćńęą]/iu], ['tr', /[ğşıİ]/u],
  ['cs', /[řěůťď]/iu], ['da', /[æø]/iu], ['sv', /[åäö]/iu], ['uk', /[іїєґ]/iu], ['ru', /[ыэъё]/iu]
])
const LETTER = 0.8

/** Characters by which it is told which tables a question needs. */
const LOOKED_AT = 1000

/** Of how many of its words a question's language is told by the table, at most. */
const TOLD_BY_TABLE = 3

/** How many passages of an agent are in each language. */
type Spoken = readonly (readonly [language: string | null, passages: number])[]

/** Languages that a question may be in, with how many of its words ask in each and what its letters say. */
function likelyIn (text: string, tokens: readonly Token[], spoken: Spoken) {
  const lettered = new Set(LETTERS().flatMap(([language, letters]) => (letters.test(text) ? [language] : [])))
  return [...ASKING()].map(([language, asking]) => {
    const byLetters = lettered.has(language) ? LETTER : 0
    const words = tokens.filter(({ word }) => asking.has(word)).length
    // The table is only opened for a language of which something is asked or taught.
    return { language, byLetters, words, isLikely: words + byLetters > 0 || spoken.some(([one]) => one === language) }
  })
}

/** Makes in steps what understanding a question makes at one stretch else: the tables of languages it may be in. */
export function * prepareFor (text: string, spoken: Spoken): Generator<undefined, void> {
  const looked = text.slice(0, LOOKED_AT)
  const likely = likelyIn(looked, tokensOf(looked), spoken).filter(({ isLikely }) => isLikely)
  for (const tongue of tonguesOf(null, likely.map(({ language }) => language), looked)) {
    yield * prepareConcepts(tongue)
    yield * prepareOwnCase(tongue)
  }
  yield * prepareCompounds(spoken.map(([language]) => language))
}

/**
 * The language of a short question, by its words of asking, what the table knows of it and what the agent's texts are
 * in; null: it cannot be told.
 */
export function languageOfQuestion (
  text: string, tokens: readonly Token[], spoken: Spoken
): string | null {
  const written = writtenIn(text)
  const letters = (some: readonly Token[]) => some.reduce((sum, { word }) => sum + word.length, 0)
  // A name in another script is no language.
  const unspaced = tokens.filter(({ word }) => writtenIn(word) !== undefined)
  if (written !== undefined && letters(unspaced) * 2 > letters(tokens)) return written
  const all = spoken.reduce((sum, [, passages]) => sum + passages, 0) || 1
  let [best, most]: [string | null, number] = [null, 0]
  for (const { language, byLetters, words, isLikely } of likelyIn(text, tokens, spoken)) {
    const known = isLikely && tongues().includes(language)
      ? new Set(conceptsIn(text, tokens, [language]).flatMap(({ at }) => at)).size
      : 0
    const share = (spoken.find(([one]) => one === language)?.[1] ?? 0) / all
    const score = words + byLetters + 0.9 * Math.min(TOLD_BY_TABLE, known) + 0.6 * share
    if (words + known + byLetters > 0 && score > most) [best, most] = [language, score]
  }
  return best
}
