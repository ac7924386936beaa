import type { Prior } from '../words/guess.ts'
import { lookedForIn, queryWords } from '../words/query.ts'
import { broader, concepts, namesDay, tokensOf } from './lexicon.ts'
import { analyse, type Unit } from './question.ts'
import { withoutCourtesies } from './talk/courtesies.ts'
import { wordSet } from '../words/fold.ts'

/** Nobody asks for several things at once in a longer message, and most of them at once. */
const [LONGEST_LISTING, MOST_QUESTIONS] = [300, 3]
/** A question is no shorter. */
const SHORTEST = 8

/**
 * How a question begins, by language, folded: `word` with a word that asks for something itself, `any` in other ways.
 * Behind one of `and`, only the former and `direct` begin another: "and is there a bath?" may mean in the room.
 */
const ASKING = new Map(Object.entries({
  en: {
    and: 'and',
    word: 'how what when where who which why',
    any: 'is are do does can could will would may have has',
    direct: 'are you,do you take,do you accept,do you deliver,do you sell,do you repair,do you open,do you close'
  },
  de: {
    and: 'und',
    word: 'wie was wann wo wer welche welcher welches warum',
    any: 'gibt ist sind haben hat kann konnen konnte darf habt seid kostet brauche muss',
    direct: 'seid ihr,sind sie,nehmt ihr,nehmen sie,liefert ihr,liefern sie,verkauft ihr,verkaufen sie'
  },
  fr: {
    and: 'et',
    word: 'comment quand combien quel quelle quels quelles ou',
    any: 'est etes avez peut puis faites',
    direct: 'etes vous,prenez vous,acceptez vous,livrez vous,vendez vous,ouvrez vous'
  },
  es: {
    and: 'y e',
    word: 'como cuando donde cuanto cuantos cuanta cual',
    any: 'hay tienen tiene puedo puede se aceptan abren',
    direct: 'aceptan,abren,cierran,venden'
  },
  it: {
    and: 'e ed',
    word: 'come quando dove quanto quanti quale',
    any: 'c avete posso siete accettate si',
    direct: 'accettate,siete aperti,aprite,chiudete,vendete'
  },
  pt: { and: 'e', word: 'onde quanto qual', any: 'ha tem posso aceitam abrem', direct: 'aceitam,abrem,fecham,vendem' },
  nl: {
    and: 'en',
    word: 'hoe wat wanneer waar welke',
    any: 'hebben heeft zijn kan kunnen mag doen',
    direct: 'zijn jullie,bent u,accepteren jullie,accepteert u,bezorgen jullie,verkopen jullie'
  },
  pl: { and: 'i oraz a', word: 'jak kiedy gdzie ile jaki jaka jakie', any: 'czy', direct: '' },
  sv: { and: 'och', word: 'hur nar var vad vilka', any: 'har kan far finns', direct: 'har ni oppet,tar ni,levererar ni,saljer ni' },
  da: { and: 'og', word: 'hvordan hvornar hvor hvad', any: 'er ma', direct: 'har i abent,tager i,leverer i,saelger i' },
  cs: { and: 'a', word: 'kdy kde kolik', any: 'mate', direct: '' },
  ru: { and: 'и', word: 'как когда где сколько', any: 'есть можно', direct: '' },
  uk: { and: 'і та також', word: 'як коли де скільки', any: 'чи', direct: '' }
}).map(([language, { and, word, any, direct }]) => [language, {
  and: wordSet(and), word: wordSet(word), any: wordSet(`${word} ${any}`), direct: direct.split(',').filter(Boolean)
}] as const))
type Asking = NonNullable<ReturnType<typeof ASKING.get>>
/** Words, by language, with which a question depends on the one before it: it means nothing on its own. */
const LEANING = new Map(Object.entries({
  en: 'it its they them their this that these those one ones he him she her his then so instead otherwise there else',
  de: 'es er ihn ihm dafur davon dazu dann dort diese dieser dieses sonst',
  fr: 'il ils elle elles y en ca cela celui celle',
  es: 'lo los ello eso esto esos estos ellos ellas alli',
  it: 'esso essa essi lo li questo quello ci ne',
  pt: 'isso isto ele ela eles elas',
  nl: 'het dat deze die ze hij daar daarvoor ervoor dan',
  pl: 'to je go ich jej nich tego tam wtedy',
  sv: 'det den dem dessa detta dar',
  da: 'det den dem dette disse',
  cs: 'to toho tom jej jejich tam',
  ru: 'это этого они он она его их там',
  uk: 'це цього вони він вона його їх там'
}).map(([language, words]) => [language, wordSet(words)] as const))
/** Pairs of words that only say that something exists or may be: they lean on nothing. */
const EXISTS = new Set([
  'gibt es', 'es gibt', 'ist es', 'is there', 'are there', 'there is', 'there are', 'is it', 'a t', 't il', 'y a', 'il y',
  'est il', 'est ce', 'c est', 'finns det', 'er der', 'ar det'
])
/** Of whom and of when, which say nothing without the thing that is asked about. */
const OF_WHOM = wordSet('children parents senior men women guest')

/** Whether a unit names a thing that a question may be about. */
function isThing ({ primary, isTalk, words, share }: Unit): boolean {
  if (primary === null) return !isTalk && share === 1 && words.some(({ plain }) => plain.length > 2)
  return !OF_WHOM.has(primary) && !namesDay(primary) && concepts().get(primary)?.is !== 'light'
}

const languageOf = (message: string, spoken: Prior) => analyse(message, queryWords(message, spoken), spoken).language

/** The things that a question itself names; none if it depends on another. */
function thingsIn (question: string, spoken: Prior): string[] {
  const tokens = tokensOf(question)
  const asked = withoutCourtesies(lookedForIn(question))
  const { units, language } = analyse(asked, queryWords(asked, spoken), spoken)
  const leaning = LEANING.get(language ?? '')
  if (tokens.length < 2 || !leaning) return []
  const leans = tokens.some(({ word }, at) => leaning.has(word) &&
    !EXISTS.has(`${tokens[at - 1]?.word} ${word}`) && !EXISTS.has(`${word} ${tokens[at + 1]?.word}`))
  if (leans) return []
  return units.filter(isThing).map(({ primary, words }) => primary ?? words.map(({ plain }) => plain).join(' '))
}

/** A message cut behind its question marks, and where a second question begins behind `and`. */
function cut (message: string, asking: Asking): string[] {
  return message.split(/(?<=[?？؟])\s+/u).flatMap((sentence) => {
    const tokens = tokensOf(sentence)
    const at = tokens.findIndex(({ word }, i) =>
      i > 1 && asking.and.has(word) && isAnother(tokens.slice(i + 1, i + 4).map((token) => token.word), asking))
    if (at < 0 || !isAsked(sentence, asking)) return [sentence]
    return [sentence.slice(0, tokens[at]!.start), sentence.slice(tokens[at]!.end)]
  }).map((one) => one.replaceAll(/^[\s,;.–-]{1,20}|[\s,;]{1,20}$/g, '')).filter((one) => /\p{L}/u.test(one))
}

/** Whether the words behind `and` begin a question that means nothing of the one before it. */
const isAnother = (words: string[], { word, direct }: Asking): boolean =>
  word.has(words[0] ?? '') || direct.some((one) => `${words.join(' ')} `.startsWith(`${one} `))

/** Whether a sentence is a question, by its mark or how it begins. */
function isAsked (sentence: string, { any }: Asking): boolean {
  const [first] = tokensOf(sentence.slice(0, 40))
  return /[?？؟]\s*$/u.test(sentence) || (first !== undefined && any.has(first.word))
}

/**
 * The questions of a message that asks for several things, each of which can be understood on its own; none if there is
 * only one, or one depends on another.
 */
export function questionsApart (message: string, spoken: Prior): string[] {
  if (message.length > LONGEST_LISTING) return []
  const asking = ASKING.get(languageOf(message, spoken) ?? '')
  if (!asking) return []
  const parts = cut(message, asking)
  if (parts.length < 2 || parts.length > MOST_QUESTIONS) return []
  if (parts.some((one) => one.length < SHORTEST || !isAsked(one, asking))) return []
  const things = parts.map((one) => thingsIn(one, spoken))
  const above = things.map((all) => new Set(all.flatMap((one) => [one, ...broader(one)])))
  const isApart = things.every((all, at) =>
    all.length > 0 && above.every((others, other) => other === at || all.some((one) => !others.has(one))))
  return isApart ? parts : []
}
