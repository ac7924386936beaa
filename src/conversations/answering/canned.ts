import { fold } from '../../search/words/fold.ts'
import type { Phrases } from './phrases.ts'

/** What a message can be told to be without a model and without a search. */
export type Canned = 'greeting' | 'thanks' | 'person'

/**
 * Whole messages that only greet or thank, folded, by the language they are said in; `PERSON` are stretches that ask
 * for a human being wherever they stand.
 */
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

const PERSON = [
  /\b(?:talk|speak|chat|connect me|transfer me|put me through|switch me|hand me over) (?:to|with) (?:a |an |the |some )?(?:real |live |actual |human )?(?:human(?: being)?|person|agent|representative|operator|someone|somebody|employee|member of staff|support agent)\b/,
  /\b(?:a|real|live) (?:human(?: being)?|person) please\b/,
  /^(?:human|(?:real|live|human) (?:person|agent|being|operator)|person|operator|representative|agent)(?: please)?$/,
  /\b(?:want|need|prefer|like|get me|give me|have) (?:a |an )?(?:human(?: being| agent)?|(?:real|live|actual) (?:human|person|agent))(?: please| now| here| instead| to (?:help|talk|speak|answer)(?: to)?(?: me)?)?$/,
  /\bmit (?:einem |einer )?(?:echten )?(?:menschen|mitarbeiter|mitarbeiterin|berater|person) (?:sprechen|reden|verbinden|chatten)\b/,
  /^(?:mensch|mitarbeiter)(?: bitte)?$/,
  /\bparler (?:a|avec) (?:un |une )?(?:humain|personne|conseiller|conseillere|agent|vraie personne)\b/,
  /\bhablar con (?:un |una )?(?:humano|persona|agente|representante|persona real)\b/,
  /\bparlare con (?:un |una )?(?:umano|persona|operatore|operatrice|agente|persona reale)\b/,
  /\bfalar com (?:um |uma )?(?:humano|pessoa|atendente|agente|pessoa real)\b/,
  /\b(?:met|aan) een (?:echt )?(?:mens|persoon|medewerker) (?:spreken|praten|chatten)\b/,
  /\b(?:prata|tala) med en (?:manniska|person|medarbetare)\b/,
  /\brozmawiac z (?:czlowiekiem|konsultantem|pracownikiem)\b/,
  /(?:insanla|temsilciyle|biriyle|musteri temsilcisi) (?:gorus|konus)/,
  /(?:с человеком|с оператором|с живым человеком|оператора|позовите человека)/,
  /(?:转人工|人工客服|真人|人工服务)/,
  /(?:担当者|オペレーター|人間)(?:に|と)(?:つない|話|替わ|代わ)/,
  /(?:상담원|사람)(?:과|이랑|하고|을)? ?(?:연결|대화|통화|얘기)/,
  /\btal[ea] med (?:et |en )?(?:rigtigt |ekte )?(?:menneske|person|medarbejder|medarbeider)\b/,
  /\bsnakke med (?:et |en )?(?:menneske|person|medarbeider|medarbejder)\b/,
  /\b(?:puhua|jutella|keskustella) (?:oikean )?(?:ihmisen|henkilon|asiakaspalvelijan) kanssa\b/,
  /(?:emberrel|ugyintezovel|munkatarssal|szemellyel) (?:szeretnek )?(?:besz|akarok besz|kapcsol)/,
  /beszelni (?:egy )?(?:emberrel|ugyintezovel|munkatarssal)/,
  /\bvorbi(?:ti|m)? cu (?:o |un )?(?:persoana|om|operator|agent)\b/,
  /\bparlar amb (?:un |una )?(?:huma|persona|agent|operador|operadora)\b/,
  /\b(?:mluvit|hovorit) s (?:clovekem|operatorem|pracovnikem|nekym)\b/,
  /\b(?:govoril|govorila|govoriti|pogovoril|pogovorila) (?:bi )?(?:s|z) (?:clovekom|osebo|svetovalcem|agentom)\b/,
  /(?:pertsona|gizaki|langile) batekin (?:hitz|mintza)/,
  /\blabhairt le (?:duine|gniomhaire|daoine)\b/,
  /(?:μιλησω|μιλησουμε|συνδεθω) με (?:εναν |καποιον |μια )?(?:ανθρωπο|εκπροσωπο|υπαλληλο)/,
  /(?:इंसान|व्यक्ति|प्रतिनिधि|एजेंट|आदमी) से (?:बात|बातचीत)/,
  /(?:noi chuyen|gap|ket noi) (?:voi )?(?:nguoi that|nhan vien|tu van vien|mot nguoi)/,
  /(?:մարդու|օպերատորի|աշխատակցի) հետ (?:խոսել|զրուցել|կապ)/,
  /(?:மனிதருடன்|நபருடன்|முகவருடன்|ஊழியருடன்) (?:பேச|உரையாட)/,
  /(?:التحدث|اتحدث|اتكلم|التكلم) (?:مع|الى) (?:شخص|انسان|موظف|ممثل)/
]

/** What somebody does not want, which is left out before the stretches above are looked for. */
const UNWANTED = [
  /\b(?:do not|don t|dont|never) (?:want|need|wish|like) (?:to )?(?:(?:talk|speak|chat) (?:to|with) )?(?:(?:a|an|the|any|some|this|your) )?(?:(?:real|live|actual|human) )?\w+/g,
  /\bnicht mit (?:einem |einer )?(?:echten )?\w+/g
]

function phrases (lists: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(lists).flatMap(([language, list]) => list.split('|').map((phrase) => [plain(phrase), language]))
  )
}

/** Folded words with one space between, without punctuation and emoji. */
function plain (text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim()
}

/** Whether a message is only a greeting or only thanks, or asks for a person. Undefined: it has to be answered. */
export function canned (text: string): Canned | undefined {
  const words = plain(text)
  if (GREETINGS.has(words)) return 'greeting'
  if (THANKS.has(words)) return 'thanks'
  const wanted = UNWANTED.reduce((left, unwanted) => left.replaceAll(unwanted, ''), words)
  return text.length <= 300 && PERSON.some((pattern) => pattern.test(wanted)) ? 'person' : undefined
}

/** The language that a greeting or thanks is said in; null of anything else. */
export function languageOfCourtesy (text: string): string | null {
  const words = plain(text)
  return GREETINGS.get(words) ?? THANKS.get(words) ?? null
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
