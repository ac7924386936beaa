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

/**
 * Words by language: with which a question begins that continues another; that refer to what was named before; and,
 * behind the first ones, those that say for whom, where or when the same is asked.
 */
const TABLE: Record<string, [continuing: string, referring: string, qualifying: string]> = {
  en: ['and|what about|how about|or', 'it|its|they|them|their|this|that|these|those|one|ones|there|then', 'for|to|in|on|at|with|from|by'],
  de: ['und|oder|aber|wie sieht es|was ist mit', 'es|das|dies|diese|dieser|dieses|davon|dafür|damit|dazu|dort|dann', 'für|nach|in|im|am|an|mit|bei|per'],
  fr: ['et|ou|mais|qu en est il', 'ça|cela|celui|celle|ceux|celles|y|en|alors', 'pour|en|à|au|aux|dans|avec|par'],
  es: ['y|o|pero|qué hay de', 'eso|esto|ese|esa|esos|esas|lo|allí|entonces', 'para|a|al|en|con|por'],
  it: ['e|o|ma|che ne dite', 'quello|quella|questo|questa|ci|ne|lo|allora', 'per|in|a|al|con|da'],
  pt: ['e|ou|mas', 'isso|isto|esse|essa|lá|então', 'para|em|no|na|aos|ao|com|por'],
  ca: ['i|o|però', 'això|aquest|aquesta|hi|ho', 'per|a|al|en|amb'],
  nl: ['en|of|maar|hoe zit het', 'het|dat|deze|die|daar|ervan|dan', 'voor|naar|in|op|met|bij'],
  sv: ['och|eller|men|hur är det', 'det|den|dem|där|då', 'för|till|i|på|med'],
  da: ['og|eller|men|hvad med', 'det|den|dem|der|så', 'for|til|i|på|med'],
  no: ['og|eller|men|hva med', 'det|den|dem|der|da', 'for|til|i|på|med'],
  fi: ['ja|tai|entä|mutta', 'se|sitä|ne|siellä|sinne', ''],
  pl: ['a|i|lub|czy|albo|ale', 'to|tego|tym|tam|wtedy', 'dla|do|na|w|we|z|za'],
  cs: ['a|nebo|ale|co', 'to|toho|tomu|tam|pak', 'pro|do|na|v|ve|s|za'],
  sk: ['a|alebo|ale|čo', 'to|toho|tomu|tam|potom', 'pre|do|na|v|vo|s|za'],
  sl: ['in|ali|pa', 'to|tega|tam', 'za|v|na|s|z'],
  hr: ['i|a|ili|ali', 'to|toga|tamo', 'za|u|na|s'],
  ro: ['și|sau|dar', 'asta|aceasta|acesta|acolo|atunci', 'pentru|în|la|cu'],
  hu: ['és|vagy|de|mi van', 'ez|az|oda|ott|akkor', ''],
  tr: ['ve|veya|peki|ya', 'bu|bunu|onu|o|orada', ''],
  ru: ['и|а|или|но', 'это|этот|эта|его|её|их|там|туда', 'для|в|во|на|с|за|по'],
  uk: ['і|й|а|та|або|але', 'це|цей|ця|його|її|їх|там|туди', 'для|у|в|на|з|за|до'],
  bg: ['и|а|или|но', 'това|този|тази|там', 'за|в|на|с|до'],
  el: ['και|ή|αλλά', 'αυτό|αυτή|αυτά|εκεί|τότε', 'για|σε|στο|στη|στην|με'],
  ar: ['و|أو|او|طيب', 'هذا|هذه|ذلك|هناك', 'الى|في|ل'],
  fa: ['و|یا|پس', 'این|آن|آنجا', 'برای|به|در|با'],
  he: ['ו|או|ומה', 'זה|זאת|שם', ''],
  hi: ['और|या', 'यह|वह|इसका|वहाँ', ''],
  id: ['dan|atau|kalau|bagaimana dengan', 'ini|itu|sana', 'untuk|ke|di|dengan'],
  vi: ['và|còn|hay|thế còn', 'đó|này|đấy', 'cho|đến|ở|với'],
  th: ['แล้ว|และ|หรือ', 'นี้|นั้น|ที่นั่น', 'สำหรับ|ไป'],
  zh: ['那|那么|那麼|还有|還有', '这|這|那里|那裡|它', ''],
  ja: ['じゃあ|では|それと|それでは', 'それ|これ|そこ|あれ', ''],
  ko: ['그럼|그러면|그리고', '그거|그것|이거|이것|거기', '']
}

const TABLES = lazily(() => new Map(Object.entries(TABLE).map(([language, words]) => {
  const [continuing, referring, qualifying] = words.map(foldedAmong) as [Phrases, Phrases, Phrases]
  return [language, { continuing, referring, qualifying }]
})))

type Phrases = ReadonlySet<string>

const foldedAmong = (words: string): Phrases =>
  new Set(words.split('|').map((phrase) => tokensOf(phrase).map(({ word }) => word).join(' ')))

/**
 * The queries with which a message is searched, the likeliest first; each further one is for when nothing answers those
 * before it. One that says little is searched with the visitor's question before it: first if it continues that one
 * ("and for children?"), else only if it names nothing and finds nothing by itself.
 */
export function queriesFor (turn: Asking): string[] {
  const { message } = turn
  const before = questionBefore(turn)
  if (before === undefined) return [message]
  const together = `${before}\n${message}`
  const said = readOf(turn)
  if (continuesAnother(said)) return said.telling > TELLING ? [message] : [together, message]
  return said.telling > 0 ? [message] : [message, together]
}

/**
 * The question before, if a message asks the same for somebody, somewhere or at some time ("and for shoes?"): what
 * answers it may help where nothing says more. Undefined for any other message.
 */
export function sameAsBefore (turn: Asking): string | undefined {
  const { words, tables, telling } = readOf(turn)
  const isQualified = tables.some(({ continuing, qualifying }) => qualifying.has(words[beginning(words, continuing)]!))
  return isQualified && telling <= TELLING ? questionBefore(turn) : undefined
}

type Asking = Pick<Turn, 'message' | 'history' | 'agent' | 'language'>

/** The visitor's last question, if the agent remembers it. */
function questionBefore ({ history, agent }: Asking): string | undefined {
  if (!agent.behavior.conversationMemory) return undefined
  return history.findLast(({ role, text }) => role === 'visitor' && canned(text) === undefined)?.text
}

/** A message as its words, how many different ones do more than ask, and the tables of the languages it may be in. */
function readOf ({ message, language: given }: Asking) {
  const short = message.slice(0, SHORT)
  const tokens = tokensOf(short)
  const words = tokens.map(({ word }) => word)
  const likely = [languageOfQuestion(short, tokens, []), given].filter((one) => one !== null)
  const languages = likely.length > 0 ? likely : ['en']
  return {
    words,
    telling: new Set(words.filter((word) => !isAsking(word, languages))).size,
    tables: languages.flatMap((language) => TABLES().get(language) ?? [])
  }
}

/** How many words at the beginning of a message are one of these phrases. */
function beginning (words: readonly string[], phrases: ReadonlySet<string>): number {
  return [3, 2, 1].find((count) => phrases.has(words.slice(0, count).join(' '))) ?? 0
}

/** Whether a message continues another: by how it begins, what it refers to, or how short it is. */
function continuesAnother ({ words, tables }: ReturnType<typeof readOf>): boolean {
  return words.length < WORDS_OF_A_SENTENCE || tables.some(({ continuing, referring }) =>
    beginning(words, continuing) > 0 || words.some((word) => referring.has(word)))
}
