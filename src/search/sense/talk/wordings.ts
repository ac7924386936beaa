import { compileAhead } from '../../../platform/lazily.ts'
import { wordSet } from '../../words/fold.ts'

/*
 * Wordings by which a question says what it asks for, of all languages.
 */

/** How many there are is asked for. */
export const HOW_MANY = /(?<!\p{L})(?:how many|wie ?viele?|cu[aá]nt[oa]s|combien d|quant[ie]|quant[oa]s|hoeveel|ile|hur m[åa]nga|hvor mange|kolik|сколько|скільки|kaç)(?!\p{L})/iu

/** How much, said last: of a thing it is what it costs. */
export const HOW_MUCH_LAST = /(?<!\p{L})(?:how much|wie ?viel|cu[aá]nto|combien|quanto|hoeveel|ile)[\s?!.…]*$/iu
/** Of a phrase these are none of its words: a cut is one word. */
export const ARTICLE = /^(?:an?|the|ein|eine|une?|una|uno|een|ett|um|uma)$/
/** The day is asked for. */
export const WHAT_DAY = /(?<!\p{L})(?:(?:what|which) days?|quels? jours?|welche[mnr]? tag(?:en|e)?|was für tage|qu[eé] d[ií]as?|che giorn[oi]|quali giorni|welke dag(?:en)?|que dias?|jaki dzie[nń]|kt[oó]ry(?:m|ch)? dni(?:u|ach|a)?|vilken dag|vilka dagar|hvilke dage|hvilken dag|kter[yý] den)(?!\p{L})/iu
/** The time of day is asked for. */
export const WHAT_TIME = /(?<!\p{L})(?:what times?|(?:um )?wie ?viel uhr|qu[eé] hora|quelles? heures?|che ora|hoe laat|que horas|kt[oó]rej godzinie|o kt[oó]rej|vilken tid|hvad tid|kolik hodin)(?!\p{L})/iu
/** A name is asked for: that there is such a thing is no answer. */
export const WHAT_NAME = /(?<!\p{L})(?:what(?:['’]s| is| are| was) [^?]{1,60} (?:called|named)|(?:what|which)(?:['’]s| is| are)? the names? of|wie hei(?:ß|ss)(?:t|en)|c[oó]mo se llaman?|comment (?:s['’]appelle(?:nt)?|se nomme(?:nt)?)|come si chiama(?:no)?|como se chamam?|hoe heten?|hoe heet|jak (?:si[eę] )?nazywa|vad heter|hvad hedder|jak se jmenuj|как называ|як назива)/iu

/** How much of something, which is no price: `how much water does it hold`. */
export const AMOUNT = new RegExp([
  '[Hh]ow much (?!do(?:es)?|is|are|did|will|would|for|to|per|a|an|the|it|its|this|that)\\p{L}{2,20} (?:do|does|can|is|are|may|will|should|fits)(?!\\p{L})',
  '[Ww]ie ?viel \\p{Lu}\\p{L}{2,20} (?!kostet|kosten)\\p{Ll}',
  "[Cc]ombien d(?:e |[’'])(?!temps)\\p{Ll}{2,20}",
  '[Hh]oeveel \\p{L}{2,20} (?:kan|mag|past|heeft|zit)(?!\\p{L})'
].map((one) => `(?<!\\p{L})${one}`).join('|'), 'u')

/** Compiles these ahead, in steps. */
export function * prepareWordings (): Generator<undefined, void> {
  for (const wording of [AMOUNT, HOW_MANY, HOW_MUCH_LAST, WHAT_DAY, WHAT_NAME, WHAT_TIME]) yield * compileAhead(wording)
}

/** Words that join a thing to what it is of, folded. */
const OF = wordSet('of in de d di da do en aus von van af av fra z ze из')

/** Whether a word stands right behind one of these, or with a word like `of` between. */
export const isBehind = (tokens: readonly { word: string }[], at: number, isOne: (at: number) => boolean): boolean =>
  isOne(at - 1) || (OF.has(tokens[at - 1]?.word ?? '') && isOne(at - 2))
