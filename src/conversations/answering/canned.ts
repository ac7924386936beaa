import { fold } from '../../search/words/words.ts'
import type { Phrases } from './phrases.ts'

/** What a message can be told to be without a model and without a search. */
export type Canned = 'greeting' | 'thanks' | 'person'

/**
 * Whole messages that only greet or thank, folded; `person` are stretches that ask for a human being wherever they
 * stand.
 */
const GREETINGS =
  phrases(`hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|good day|greetings|
  hallo|guten tag|guten morgen|guten abend|moin|servus|gruss gott|gruezi|bonjour|bonsoir|salut|coucou|hola|buenos dias|buenas tardes|buenas noches|buenas|
  ciao|buongiorno|buonasera|salve|ola|oi|bom dia|boa tarde|boa noite|goedendag|goedemorgen|goedenavond|hoi|hej|hejsan|god morgon|god dag|hei|
  czesc|dzien dobry|witam|dobry wieczor|merhaba|selam|gunaydin|iyi gunler|привет|здравствуйте|добрый день|доброе утро|добрый вечер|
  مرحبا|السلام عليكم|اهلا|你好|您好|嗨|早上好|こんにちは|こんばんは|おはようございます|はじめまして|안녕하세요|안녕|নমস্কার|नमस्ते|สวัสดี|xin chao`)

const THANKS =
  phrases(`thanks|thank you|thx|ty|many thanks|thanks a lot|thank you very much|thank you so much|thanks so much|great thanks|ok thanks|okay thanks|perfect thanks|cheers|
  danke|vielen dank|danke schon|danke sehr|besten dank|merci|merci beaucoup|gracias|muchas gracias|mil gracias|grazie|grazie mille|obrigado|obrigada|muito obrigado|muito obrigada|
  bedankt|dank u|dank je|dank je wel|tack|tack sa mycket|takk|tak|kiitos|dziekuje|dzieki|tesekkurler|tesekkur ederim|sag ol|спасибо|большое спасибо|благодарю|
  شكرا|شكرا جزيلا|谢谢|多谢|ありがとう|ありがとうございます|감사합니다|고마워요|धन्यवाद|ขอบคุณ|cam on`)

const PERSON = [
  /\b(?:talk|speak|chat|connect me|transfer me|put me through|switch me|hand me over) (?:to|with) (?:a |an |the |some )?(?:real |live |actual |human )?(?:human(?: being)?|person|agent|representative|operator|someone|somebody|employee|member of staff|support agent)\b/,
  /\b(?:a|real|live) (?:human(?: being)?|person) please\b/,
  /^(?:human|real person|live agent|operator|representative|agent)(?: please)?$/,
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

function phrases (list: string): Set<string> {
  return new Set(list.split('|').map((phrase) => plain(phrase)))
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
  return text.length <= 300 && PERSON.some((pattern) => pattern.test(words)) ? 'person' : undefined
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
