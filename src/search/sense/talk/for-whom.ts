import type { Token } from '../lexicon.ts'
import { wordSet } from '../../words/fold.ts'

/*
 * Whose something is, and for whom it is asked: as pure functions.
 */

/** Words by which a question says that something is the customer's own; folded, of all languages. */
export const MY = wordSet('my mein meine meinen meinem meiner mi mis mon ma mes mio mia miei mie meu minha meus minhas mijn moj moja moje min mitt mina mit muj moya мой моя мое мои мій моє benim')
/** Further such words, by which a question says for whom something is. */
const OUR = wordSet('our unser unsere unseren unserem unserer notre nos nuestro nuestra nuestros nuestras nossa nosso nostra nostro onze ons nasz nasza naszej naszego mojej mojego')
const FOR = wordSet('for fur fuer pour para per voor dla for till pro za для')

/** Words between "for my" and who that is: "for my two little boys". */
const BETWEEN = 3

/** Whether who is named at this token is somebody for whom something is asked: "for my daughter". */
export function isForWhom (tokens: readonly Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - BETWEEN - 2), at).some(({ word }, i, all) => {
    const next = all[i + 1]?.word ?? ''
    return FOR.has(word) && (MY.has(next) || OUR.has(next))
  })
}
