import { lazily } from '../../platform/lazily.ts'
import { tokensOf } from '../../search/sense/lexicon.ts'
import { isAsking, languageOfQuestion } from '../../search/sense/talk/asking.ts'
import type { Turn } from '../contract.ts'
import { canned } from './small-talk/canned.ts'

/** A question that continues another and has more telling words than this is complete without it. */
const TELLING = 2
/** A longer message has more words than are checked here. */
const SHORT = 300
/** A message with fewer words is a fragment: "on Sundays?". */
const WORDS_OF_A_SENTENCE = 4

/** Words by language: with which a question begins that continues another, and that refer to what was named before. */
const TABLE: Record<string, [continuing: string, referring: string]> = {
  en: ['and|what about|how about|or', 'it|its|they|them|their|this|that|these|those|one|ones|there|then'],
  de: ['und|oder|aber|wie sieht es|was ist mit', 'es|das|dies|diese|dieser|dieses|davon|dafür|damit|dazu|dort|dann'],
  fr: ['et|ou|mais|qu en est il', 'ça|cela|celui|celle|ceux|celles|y|en|alors'],
  es: ['y|o|pero|qué hay de', 'eso|esto|ese|esa|esos|esas|lo|allí|entonces'],
  it: ['e|o|ma|che ne dite', 'quello|quella|questo|questa|ci|ne|lo|allora'],
  pt: ['e|ou|mas', 'isso|isto|esse|essa|lá|então'],
  ca: ['i|o|però', 'això|aquest|aquesta|hi|ho'],
  nl: ['en|of|maar|hoe zit het', 'het|dat|deze|die|daar|ervan|dan'],
  sv: ['och|eller|men|hur är det', 'det|den|dem|där|då'],
  da: ['og|eller|men|hvad med', 'det|den|dem|der|så'],
  no: ['og|eller|men|hva med', 'det|den|dem|der|da'],
  fi: ['ja|tai|entä|mutta', 'se|sitä|ne|siellä|sinne'],
  pl: ['a|i|lub|czy|albo|ale', 'to|tego|tym|tam|wtedy'],
  cs: ['a|nebo|ale|co', 'to|toho|tomu|tam|pak'],
  sk: ['a|alebo|ale|čo', 'to|toho|tomu|tam|potom'],
  sl: ['in|ali|pa', 'to|tega|tam'],
  hr: ['i|a|ili|ali', 'to|toga|tamo'],
  ro: ['și|sau|dar', 'asta|aceasta|acesta|acolo|atunci'],
  hu: ['és|vagy|de|mi van', 'ez|az|oda|ott|akkor'],
  tr: ['ve|veya|peki|ya', 'bu|bunu|onu|o|orada'],
  ru: ['и|а|или|но', 'это|этот|эта|его|её|их|там|туда'],
  uk: ['і|й|а|та|або|але', 'це|цей|ця|його|її|їх|там|туди'],
  bg: ['и|а|или|но', 'това|този|тази|там'],
  el: ['και|ή|αλλά', 'αυτό|αυτή|αυτά|εκεί|τότε'],
  ar: ['و|أو|او|طيب', 'هذا|هذه|ذلك|هناك'],
  fa: ['و|یا|پس', 'این|آن|آنجا'],
  he: ['ו|או|ומה', 'זה|זאת|שם'],
  hi: ['और|या', 'यह|वह|इसका|वहाँ'],
  id: ['dan|atau|kalau|bagaimana dengan', 'ini|itu|sana'],
  vi: ['và|còn|hay|thế còn', 'đó|này|đấy'],
  th: ['แล้ว|และ|หรือ', 'นี้|นั้น|ที่นั่น'],
  zh: ['那|那么|那麼|还有|還有', '这|這|那里|那裡|它'],
  ja: ['じゃあ|では|それと|それでは', 'それ|これ|そこ|あれ'],
  ko: ['그럼|그러면|그리고', '그거|그것|이거|이것|거기']
}

const TABLES = lazily(() => new Map(Object.entries(TABLE).map(([language, [continuing, referring]]) =>
  [language, { continuing: foldedAmong(continuing), referring: foldedAmong(referring) }])))

const foldedAmong = (words: string): ReadonlySet<string> =>
  new Set(words.split('|').map((phrase) => tokensOf(phrase).map(({ word }) => word).join(' ')))

/**
 * The queries with which a message is searched, the likeliest first; each further one is for when nothing answers those
 * before it. One that says little is searched with the visitor's question before it: first if it continues that one
 * ("and for children?"), else only if it names nothing and finds nothing by itself.
 */
export function queriesFor (
  { message, history, agent, language }: Pick<Turn, 'message' | 'history' | 'agent' | 'language'>
): string[] {
  if (!agent.behavior.conversationMemory) return [message]
  const { text: before } = history.findLast(({ role, text }) => role === 'visitor' && canned(text) === undefined) ?? {}
  if (before === undefined) return [message]
  const together = `${before}\n${message}`
  const tokens = tokensOf(message.slice(0, SHORT)).map(({ word }) => word)
  const languages = languagesOf(message, language)
  const telling = new Set(tokens.filter((word) => !isAsking(word, languages))).size
  if (continuesAnother(tokens, languages)) return telling > TELLING ? [message] : [together, message]
  return telling > 0 ? [message] : [message, together]
}

/** Languages that a message may be in; `given`: the one it is most likely in. */
function languagesOf (message: string, given: string | null): string[] {
  const short = message.slice(0, SHORT)
  const likely = [languageOfQuestion(short, tokensOf(short), []), given].filter((one) => one !== null)
  return likely.length > 0 ? likely : ['en']
}

/** Whether a message continues another: by how it begins, what it refers to, or how short it is. */
function continuesAnother (words: readonly string[], languages: readonly string[]): boolean {
  if (words.length < WORDS_OF_A_SENTENCE) return true
  const starts = [1, 2, 3].map((count) => words.slice(0, count).join(' '))
  return languages.some((language) => {
    const { continuing, referring } = TABLES().get(language) ?? {}
    return starts.some((start) => continuing?.has(start)) || words.some((word) => referring?.has(word))
  })
}
