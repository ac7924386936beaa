import { languagesAskingForPerson } from './person.ts'
import type { Phrases } from './phrases.ts'
import { plain } from './plain.ts'

/** What a message can be told to be without a model and without a search. */
export type Canned = 'greeting' | 'thanks' | 'person'

/** Whole messages that only greet or thank, folded, by the language they are said in. */
const GREETINGS = phrases({
  en: 'hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|good day|greetings',
  de: 'hallo|guten tag|guten morgen|guten abend|moin|servus|gruss gott|gruezi',
  fr: 'bonjour|bonsoir|salut|coucou',
  es: 'hola|buenos dias|buenas tardes|buenas noches|buenas',
  it: 'ciao|buongiorno|buonasera|salve',
  pt: 'ola|oi|bom dia|boa tarde|boa noite',
  nl: 'goedendag|goedemorgen|goedenavond|hoi',
  sv: 'hej|hejsan|god morgon|god dag',
  no: 'hei',
  pl: 'czesc|dzien dobry|witam|dobry wieczor',
  tr: 'merhaba|selam|gunaydin|iyi gunler',
  ru: 'привет|здравствуйте|добрый день|доброе утро|добрый вечер',
  ar: 'مرحبا|السلام عليكم|اهلا',
  zh: '你好|您好|嗨|早上好',
  ja: 'こんにちは|こんばんは|おはようございます|はじめまして',
  ko: '안녕하세요|안녕',
  bn: 'নমস্কার',
  hi: 'नमस्ते',
  th: 'สวัสดี',
  vi: 'xin chao'
})

const THANKS = phrases({
  en: 'thanks|thank you|thx|ty|many thanks|thanks a lot|thank you very much|thank you so much|thanks so much|great thanks|ok thanks|okay thanks|perfect thanks|cheers',
  de: 'danke|vielen dank|danke schon|danke sehr|besten dank',
  fr: 'merci|merci beaucoup',
  es: 'gracias|muchas gracias|mil gracias',
  it: 'grazie|grazie mille',
  pt: 'obrigado|obrigada|muito obrigado|muito obrigada',
  nl: 'bedankt|dank u|dank je|dank je wel',
  sv: 'tack|tack sa mycket',
  no: 'takk|tak',
  fi: 'kiitos',
  pl: 'dziekuje|dzieki',
  tr: 'tesekkurler|tesekkur ederim|sag ol',
  ru: 'спасибо|большое спасибо|благодарю',
  ar: 'شكرا|شكرا جزيلا',
  zh: '谢谢|多谢',
  ja: 'ありがとう|ありがとうございます',
  ko: '감사합니다|고마워요',
  hi: 'धन्यवाद',
  th: 'ขอบคุณ',
  vi: 'cam on'
})

function phrases (lists: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(lists).flatMap(([language, list]) => list.split('|').map((phrase) => [plain(phrase), language]))
  )
}

/** Whether a message is only a greeting or only thanks, or asks for a person. Undefined: it has to be answered. */
export function canned (text: string): Canned | undefined {
  const words = plain(text)
  if (GREETINGS.has(words)) return 'greeting'
  if (THANKS.has(words)) return 'thanks'
  return languagesAskingForPerson(text).length > 0 ? 'person' : undefined
}

/** As many languages that share a wording are near to each other: any will do. */
const NEAR = 2

/** The language that a greeting or thanks is said in, or a person asked for; null of anything else. */
export function languageOfCourtesy (text: string): string | null {
  const words = plain(text)
  const asking = languagesAskingForPerson(text)
  return GREETINGS.get(words) ?? THANKS.get(words) ?? (asking.length <= NEAR ? asking[0] : undefined) ?? null
}

/** What the agent says to it. `contact`: where a person can be reached, if anywhere. */
export function cannedAnswer (
  kind: Canned,
  { greeting, thanks, writeTo, noPerson }: Phrases,
  { welcome, contact }: { welcome: string, contact: string | null }
): string {
  if (kind === 'greeting') return welcome || greeting
  if (kind === 'thanks') return thanks
  return contact ? writeTo.replace('{contact}', contact) : noPerson
}
