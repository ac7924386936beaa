import { lazily } from '../../platform/lazily.ts'
import table from './asking.json' with { type: 'json' }
import { EMAIL } from './kinds.ts'
import { conceptsIn, tongues, writtenIn, type Token } from './lexicon.ts'

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

/**
 * Clauses of courtesy, by language: what is around a question and no part of it. Letters are written with and without
 * their marks, as people type.
 */
const COURTESIES = lazily(() => new RegExp(`(?<![\\p{L}\\p{N}])(?:${[
  '(?:hello|hi|hey|good (?:morning|afternoon|evening|day))(?: there| everyone| team| all)?|dear (?:sir or madam|sirs|team|all)',
  '(?:i (?:just )?(?:was|am|\'m|’m) (?:just )?(?:wondering|curious)(?: (?:if|whether))?(?: you (?:could|can|would|might) (?:kindly |please |possibly )?(?:tell|help|let|inform)(?: me)?(?: with| know| out)?)?)',
  '(?:(?:could|can|would) you )(?:be so kind (?:as to )?|please |kindly |possibly )*(?:tell|inform|help|explain to|let)(?: me)?(?: with| out| know)?',
  'i (?:just |only )?(?:would|\'d|’d) (?:really )?(?:like|love) to (?:know|ask)|i (?:just )?(?:have|had|\'ve got|’ve got) a (?:quick |small )?question(?: about)?',
  '(?:many |kind )?thanks(?: (?:a lot|so much))?(?: in advance)?|thank you(?: (?:very|so) much)?(?: in advance)?|(?:best|kind|warm) regards',
  'sorry to (?:bother|disturb) you|(?:i )?hope you(?:\'re| are|’re)(?: doing)? well|please|kindly|excuse me',
  'hallo(?: zusammen)?|guten (?:tag|morgen|abend)|liebes team|sehr geehrte(?: damen und herren)?|(?:vielen|besten|herzlichen) dank(?: im voraus)?|danke(?: im voraus| sch[öo]n)?',
  '(?:mit )?(?:freundlichen|besten|liebe|viele) gr[üu](?:ß|ss)en?|ich (?:h[äa]tte|habe)(?: da)?(?: mal)?(?: noch)?(?: nur)? eine (?:kurze )?frage|entschuldig(?:ung|en sie)(?: die st[öo]rung)?|bitte',
  '(?:ich (?:wollte|m[öo]chte|w[üu]rde)(?: nur| mal| gerne?)* (?:fragen|wissen)|(?:k[öo]nnen|k[öo]nnten|kannst|k[öo]nntest) (?:sie|du|ihr) mir (?:bitte |vielleicht |freundlicherweise )*(?:sagen|mitteilen|helfen|verraten))',
  'hola|buenos d[ií]as|buenas (?:tardes|noches)|(?:muchas |mil )?gracias(?: de antemano| por adelantado)?|un (?:cordial )?saludo|saludos|perd[oó]n(?:e|a)?(?: (?:la|las) molestias?)?|disculpe(?: (?:la|las) molestias?)?|por favor',
  '(?:(?:me )?(?:podr[ií]an?|puede|pueden|podr[ií]as)(?: usted(?:es)?)?(?: por favor)? (?:decirme|decir|ayudarme|indicarme|informarme)(?: con)?|tengo una (?:pregunta|duda)|(?:quisiera|quer[ií]a|me gustar[ií]a) (?:saber|preguntar))(?: si)?',
  'bonjour|bonsoir|merci(?: beaucoup)?(?: d[’\' ]avance| par avance)?|cordialement|excusez[ -]moi(?: de vous d[ée]ranger)?|s[’\' ]il (?:vous|te) pla[iî]t|svp|j[’\' ]ai une (?:petite )?question',
  '(?:(?:pourriez|pouvez|pourrais|peux)[ -](?:vous|tu) (?:s[’\' ]il vous pla[iî]t )?(?:me dire|m[’\' ]indiquer|m[’\' ]aider|m[’\' ]informer)|je (?:voudrais|voulais|souhaiterais|me demandais)(?: juste)?(?: savoir| demander)?)(?: si)?',
  'buon ?giorno|buona ?sera|salve|(?:tante |mille )?grazie(?: mille| in anticipo)?|per (?:favore|cortesia|piacere)|scus(?:i|ate|a)(?: il disturbo)?|cordiali saluti|(?:potrebbe|pu[oò]|potreste|potete) (?:dirmi|aiutarmi|indicarmi)|(?:vorrei|volevo) (?:sapere|chiedere)(?: se)?|ho una domanda',
  'ol[aá]|bom dia|boa (?:tarde|noite)|(?:muito )?obrigad[oa](?: desde j[aá])?|por favor|desculpe(?: o inc[oó]modo)?|(?:poderia|pode|podem|poderiam) (?:me )?(?:dizer(?:-me)?|ajudar|informar)|(?:gostaria|queria) de (?:saber|perguntar)(?: se)?|tenho uma (?:pergunta|d[uú]vida)',
  'goede(?:morgen|middag|navond|ndag)|(?:alvast |hartelijk )?(?:bedankt|dank u(?: wel)?|dank je(?: wel)?)(?: alvast)?|alstublieft|met vriendelijke groeten?|ik (?:heb|had) een vraag(?:je)?(?: over)?|(?:kunt|kun|zou|kan) (?:u|je|jij) (?:mij|me)?(?: misschien| alstublieft)?(?: zeggen| vertellen| helpen)|ik (?:vroeg me af|wilde (?:graag )?weten|zou graag willen weten)(?: of)?',
  'dzie[nń] dobry|dzi[eę]kuj[eę]|prosz[eę]|czy (?:mo[zż]ecie|mo[zż]e pan[i]?|mog[lł]by pan) (?:mi )?powiedzie[cć]|chcia[lł](?:bym|abym) (?:zapyta[cć]|wiedzie[cć])(?: czy)?|mam pytanie|pozdrawiam',
  'hej|tack(?: s[åa] mycket)?(?: p[åa] f[öo]rhand)?|jag undrar(?: om)?|kan (?:ni|du) (?:snälla )?s[äa]ga(?: mig)?|tak(?: p[åa] forh[åa]nd)?|jeg vil(?:le)? (?:gerne )?(?:vide|h[øo]re|sp[øo]rge)(?: om)?|kan i fort[æa]lle mig',
  'dobr[ýy] den|d[ěe]kuji|pros[ií]m|cht[ěe]l[a]? bych (?:v[ěe]d[ěe]t|se zeptat)|здравствуйте|добрый день|пожалуйста|спасибо|подскажите|скажите|хотел[а]? бы (?:узнать|спросить)|добрий день|будь ласка|дякую|підкажіть',
  // Short and impatient ones, and whether somebody knows.
  '(?:just )?(?:a |one )?(?:quick|short|small) (?:q|question|one)|(?:any idea|do you (?:happen to )?know|(?:please )?tell me|i need to know)(?: if| whether)?|just (?:tell me|answer)|asap|come on',
  '(?:nur )?(?:mal )?(?:\'ne |ne |eine )?(?:kurze |schnelle )frage|ich (?:wollte|w[üu]rde|w[üu]sste)(?: (?:da|nur|mal|eben|kurz|gern|gerne))* (?:fragen|wissen|nachfragen)?(?:,? ob)?|(?:wissen sie|wei[ßs]+t du|wisst ihr)(?: zuf[äa]llig)?(?:,? ob)?|mal (?:eben|kurz) ',
  '(?:juste )?une (?:petite |simple )?question|(?:savez|sauriez)[ -]vous si|(?:est-ce que )?vous savez si|je me demande si|dites[ -]moi(?: si)?',
  '(?:s[oó]lo )?una (?:preguntita|pregunta|duda|consulta)(?: r[aá]pida)?|me preguntaba si|(?:sabe|sabes|saben|sab[eé]is) si|d[ií]game(?: si)?',
  '(?:solo )?una domanda(?: veloce)?|mi chiedev[ao] se|(?:sa|sai|sapete) se|mi dica(?: se)?',
  '(?:een )?(?:snel |kort |klein )?vraagje|(?:weet u|weet je|weten jullie)(?: toevallig)? of|even (?:een|snel)',
  '(?:s[oó] )?uma (?:pergunta|d[uú]vida)(?: r[aá]pida)?|(?:sabe|sabem) se|gostava de saber(?: se)?|diga-me(?: se)?',
  'merhaba|l[üu]tfen|te[şs]ekk[üu]r(?:ler| ederim)|bir sorum var'
].join('|')})(?![\\p{L}\\p{N}])[\\s,.!:;-]*`, 'giu'))
/** More of a message is not looked at for courtesies. */
const LOOKED_AT = 1000

/** A question without the courtesies around it and addresses in it; as it is where nothing else is in it. */
export function withoutCourtesies (query: string): string {
  if (query.length > LOOKED_AT) return query
  const left = query.split(EMAIL).join(' ').replaceAll(COURTESIES(), ' ').trim()
  return /\p{L}{2}/u.test(left) ? left : query
}

/** Letters and marks that only one of the table's languages has: a short question may have no other sign of it. */
const LETTERS = lazily((): [string, RegExp][] => [
  ['es', /[¿¡ñ]/iu], ['pt', /[ãõ]/iu], ['de', /[äöüß]/iu], ['fr', /[œèêûîëç]/iu], ['pl', /[łżźśćńęą]/iu], ['tr', /[ğşıİ]/u],
  ['cs', /[řěůťď]/iu], ['da', /[æø]/iu], ['sv', /[åäö]/iu], ['uk', /[іїєґ]/iu], ['ru', /[ыэъё]/iu]
])
const LETTER = 0.8

/** Of how many of its words a question's language is told by the table, at most. */
const TOLD_BY_TABLE = 3

/**
 * The language of a short question, by its words of asking, what the table knows of it and what the agent's texts are
 * in; null: it cannot be told.
 */
export function languageOfQuestion (
  text: string, tokens: readonly Token[], spoken: readonly (readonly [string | null, number])[]
): string | null {
  const written = writtenIn(text)
  const letters = (some: readonly Token[]) => some.reduce((sum, { word }) => sum + word.length, 0)
  // A name in another script is no language.
  const unspaced = tokens.filter(({ word }) => writtenIn(word) !== undefined)
  if (written !== undefined && letters(unspaced) * 2 > letters(tokens)) return written
  const all = spoken.reduce((sum, [, passages]) => sum + passages, 0) || 1
  let [best, most]: [string | null, number] = [null, 0]
  const lettered = new Set(LETTERS().flatMap(([language, letters]) => (letters.test(text) ? [language] : [])))
  for (const [language, asking] of ASKING()) {
    const byLetters = lettered.has(language) ? LETTER : 0
    const words = tokens.filter(({ word }) => asking.has(word)).length
    // The table is only opened for a language of which something is asked or taught.
    const isLikely = words + byLetters > 0 || spoken.some(([one]) => one === language)
    const known = isLikely && tongues().includes(language)
      ? new Set(conceptsIn(text, tokens, [language]).flatMap(({ at }) => at)).size
      : 0
    const share = (spoken.find(([one]) => one === language)?.[1] ?? 0) / all
    const score = words + byLetters + 0.9 * Math.min(TOLD_BY_TABLE, known) + 0.6 * share
    if (words + known + byLetters > 0 && score > most) [best, most] = [language, score]
  }
  return best
}
