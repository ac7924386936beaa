import { compileAhead, lazily, lazilyInSteps, onceEach } from '../../../platform/lazily.ts'
import { EMAIL } from '../kinds.ts'
import { Phrases, tokensOf } from '../lexicon.ts'
import { ordinary } from './ordinary.ts'

/**
 * Clauses of courtesy, by language: what is around a question and no part of it. Letters are written with and without
 * their marks, as people type.
 */
const COURTESIES = [
  'i(?: would|\'d|’d) be (?:very |most |really )?(?:grateful|thankful) if (?:you|somebody|someone) (?:could|would|can) (?:please |kindly )?(?:tell me|let me know|inform me)|i was hoping (?:that )?(?:you|somebody|someone) (?:could|would|might|can|may)(?: be able to)? (?:please |kindly )?(?:tell me|let me know|inform me|say)|(?:hello|hi|hey|good (?:morning|afternoon|evening|day))(?: there| everyone| team| all)?|dear (?:sir or madam|sirs|team|all)',
  '(?:i (?:just )?(?:was|am|\'m|’m) (?:just )?(?:wondering|curious)(?: (?:if|whether))?(?: you (?:could|can|would|might) (?:kindly |please |possibly )?(?:tell|help|let|inform)(?: me)?(?: with| know| out)?)?)',
  '(?:(?:could|can|would) you )(?:be so kind (?:as to )?|please |kindly |possibly )*(?:tell|inform|help|explain to|let)(?: me)?(?: with| out| know)?',
  'i (?:just |only )?(?:would|\'d|’d) (?:really )?(?:like|love) to (?:know|ask)|i (?:just )?(?:have|had|\'ve got|’ve got) a (?:quick |small )?question(?: about)?',
  '(?:many |kind )?thanks(?: (?:a lot|so much))?(?: in advance)?|thank you(?: (?:very|so) much)?(?: in advance)?|(?:best|kind|warm) regards',
  'sorry to (?:bother|disturb) you|(?:i )?hope you(?:\'re| are|’re)(?: doing)? well|please|kindly|excuse me',
  'hallo(?: zusammen)?|guten (?:tag|morgen|abend)|liebes team|sehr geehrte(?: damen und herren)?|(?:vielen|besten|herzlichen) dank(?: im voraus)?|danke(?: im voraus| sch[öo]n)?',
  '(?:mit )?(?:freundlichen|besten|liebe|viele) gr[üu](?:ß|ss)en?|ich (?:h[äa]tte|habe)(?: da)?(?: mal)?(?: noch)?(?: nur)? eine (?:kurze )?frage|entschuldig(?:ung|en sie)(?: die st[öo]rung)?|bitte',
  '(?:ich (?:wollte|m[öo]chte|w[üu]rde)(?: nur| mal| gerne?)* (?:fragen|wissen)|(?:k[öo]nnen|k[öo]nnten|kannst|k[öo]nntest) (?:sie|du|ihr) mir (?:bitte |vielleicht |freundlicherweise |kurz |eben )*(?:sagen|mitteilen|helfen|verraten)|ich h[äa]tte gerne? gewusst|ich (?:wollte|m[öo]chte|w[üu]rde)(?: mich)?(?: nur| mal| gerne?| kurz)* erkundigen)',
  'hola|buenos d[ií]as|buenas (?:tardes|noches)|(?:muchas |mil )?gracias(?: de antemano| por adelantado)?|un (?:cordial )?saludo|saludos|perd[oó]n(?:e|a)?(?: (?:la|las) molestias?)?|disculpe(?: (?:la|las) molestias?)?|por favor',
  '(?:(?:me )?(?:podr[ií]an?|puede|pueden|podr[ií]as)(?: usted(?:es)?)?(?: por favor)? (?:decirme|decir|ayudarme|indicarme|informarme)(?: con)?|(?:ser[ií]an?|ser[ií]as) tan amables? de (?:decirme|indicarme|informarme)|tengo una (?:pregunta|duda)|(?:quisiera|quer[ií]a|me gustar[ií]a) (?:saber|preguntar))(?: si)?',
  'bonjour|bonsoir|merci(?: beaucoup)?(?: d[’\' ]avance| par avance)?|cordialement|excusez[ -]moi(?: de vous d[ée]ranger)?|s[’\' ]il (?:vous|te) pla[iî]t|svp|j[’\' ]ai une (?:petite )?question',
  '(?:(?:pourriez|pouvez|pourrais|peux)[ -](?:vous|tu) (?:s[’\' ]il vous pla[iî]t )?(?:avoir (?:la (?:gentillesse|bont[ée])|l[’\' ](?:amabilit[ée]|obligeance)) de )?(?:me dire|m[’\' ]indiquer|m[’\' ]aider|m[’\' ]informer)|je (?:voudrais|voulais|souhaiterais|me demandais)(?: juste)?(?: savoir| demander)?)(?: si)?',
  'buon ?giorno|buona ?sera|salve|(?:tante |mille )?grazie(?: mille)?(?: in anticipo)?|per (?:favore|cortesia|piacere)|scus(?:i|ate|a)(?: il disturbo)?|cordiali saluti|(?:potrebbe|pu[oò]|potreste|potete)(?: gentilmente| cortesemente| per (?:favore|cortesia))? (?:dirmi|aiutarmi|indicarmi)|(?:vorrei|volevo) (?:sapere|chiedere)(?: se)?|ho una domanda',
  'ol[aá]|bom dia|boa (?:tarde|noite)|(?:muito )?obrigad[oa](?: desde j[aá])?|por favor|desculpe(?: o inc[oó]modo)?|(?:poderia|pode|podem|poderiam) (?:me )?(?:dizer(?:-me)?|ajudar|informar)|(?:gostaria|queria) de (?:saber|perguntar)(?: se)?|tenho uma (?:pergunta|d[uú]vida)',
  'goede(?:morgen|middag|navond|ndag)|(?:alvast |hartelijk )?(?:bedankt|dank u(?: wel)?|dank je(?: wel)?)(?: alvast)?|alstublieft|met vriendelijke groeten?|ik (?:heb|had) een vraag(?:je)?(?: over)?|(?:kunt|kun|zou|kan) (?:u|je|jij) (?:mij|me)?(?: misschien| alstublieft)?(?: zeggen| vertellen| helpen)|ik (?:vroeg me af|wilde (?:graag )?weten|zou graag willen weten)(?: of)?',
  'dzie[nń] dobry|dzi[eę]kuj[eę]|(?:po)?prosz[eę]|czy (?:mo[zż]ecie|mo[zż]e pan[i]?|mog[lł]by pan) (?:mi )?powiedzie[cć]|chcia[lł](?:bym|abym) (?:zapyta[cć]|wiedzie[cć])(?: czy)?|mam pytanie|pozdrawiam',
  'hej|tack(?: s[åa] mycket)?(?: p[åa] f[öo]rhand)?|jag undrar(?: om)?|kan (?:ni|du) (?:snälla )?s[äa]ga(?: mig)?|tak(?: p[åa] forh[åa]nd)?|jeg vil(?:le)? (?:gerne )?(?:vide|h[øo]re|sp[øo]rge)(?: om)?|kan i fort[æa]lle mig',
  'dobr[ýy] den|d[ěe]kuji|pros[ií]m|cht[ěe]l[a]? bych (?:v[ěe]d[ěe]t|se zeptat)|здравствуйте|добрый день|пожалуйста|спасибо|подскажите|скажите|хотел[а]? бы (?:узнать|спросить)|добрий день|будь ласка|дякую|підкажіть',
  // Short and impatient ones, and whether somebody knows.
  '(?:just )?(?:a |one )?(?:quick|short|small) (?:q|question|one)|(?:any idea|do you (?:happen to )?know|(?:please )?tell me|i need to know)(?: if| whether)?|just (?:tell me|answer)|asap|come on',
  '(?:nur )?(?:mal )?(?:\'ne |ne |eine )?(?:kurze |schnelle )frage|ich (?:wollte|w[üu]rde|w[üu]sste)(?: (?:da|nur|mal|eben|kurz|gern|gerne))* (?:fragen|wissen|nachfragen)?(?:,? ob)?|(?:wissen sie|wei[ßs]+t du|wisst ihr)(?: zuf[äa]llig)?(?:,? ob)?|mal (?:eben|kurz) ',
  '(?:si )?vous (?:pourriez|pouviez)(?: avoir (?:la (?:gentillesse|bont[ée])|l[’\' ](?:amabilit[ée]|obligeance)) de)? (?:me dire|m[’\' ]indiquer|m[’\' ]informer)(?: si)?|je me permets de vous (?:[ée]crire|contacter)(?: (?:afin de|pour) savoir)?|(?:juste )?une (?:petite |simple )?question|(?:savez|sauriez)[ -]vous si|(?:est-ce que )?vous savez si|je me demande si|dites[ -]moi(?: si)?',
  '(?:s[oó]lo )?una (?:preguntita|pregunta|duda|consulta)(?: r[aá]pida)?|me preguntaba si|(?:sabe|sabes|saben|sab[eé]is) si|d[ií]game(?: si)?',
  '(?:solo )?una domanda(?: veloce)?|mi chiedev[ao] se|(?:sa|sai|sapete) se|mi dica(?: se)?',
  '(?:een )?(?:snel |kort |klein )?vraagje|(?:weet u|weet je|weten jullie)(?: toevallig)? of|even (?:een|snel)',
  '(?:s[oó] )?uma (?:pergunta|d[uú]vida)(?: r[aá]pida)?|(?:sabe|sabem) se|gostava de saber(?: se)?|diga-me(?: se)?',
  'merhaba|l[üu]tfen|te[şs]ekk[üu]r(?:ler| ederim)|bir sorum var'
]
/** As many as are compiled in a few milliseconds. */
const COMPILED_AT_ONCE = 5
/** Expressions for all of them, in their order. */
const CLAUSES = lazily(() => Array.from({ length: Math.ceil(COURTESIES.length / COMPILED_AT_ONCE) }, (_none, i) => {
  const some = COURTESIES.slice(i * COMPILED_AT_ONCE, (i + 1) * COMPILED_AT_ONCE).join('|')
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${some})(?![\\p{L}\\p{N}])[\\s,.!:;-]*`, 'giu')
}))
/** More of a message is not looked at for courtesies. */
const LOOKED_AT = 1000

/** What is polite in the table, by its kind; a regular expression of that many phrases would take 130 ms to compile. */
type Kind = 'greetings' | 'closings' | 'wishes'
const polite = lazilyInSteps(function * () {
  const phrases = new Phrases('')
  for (const talk of Object.values(ordinary())) {
    for (const kind of ['greetings', 'closings', 'wishes'] as const) {
      for (const phrase of talk[kind].split(', ')) phrases.add(kind, phrase)
    }
    yield
  }
  return phrases
})

/** Where phrases of a kind stand in a text: the first ones first, of those that begin alike the longest. */
type Standing = (kind: Kind, text: string) => { start: number, end: number }[]

/** For one message: of a text that comes again, as most do, the words are looked for once. */
function standingIn (): Standing {
  const foundIn = onceEach((text: string) => {
    const tokens = tokensOf(text)
    return polite.get().find(text, tokens, true)
      .map(({ concept, at }) => ({ concept, start: tokens[at[0]!]!.start, end: tokens[at.at(-1)!]!.end }))
  })
  return (kind, text) => foundIn(text)
    .filter(({ concept }) => concept === kind)
    .sort((a, b) => a.start - b.start || b.end - a.end)
}

/** Makes ahead, in steps, what the first question would wait for. */
export function * prepareCourtesies (): Generator<void> {
  yield * polite.ahead()
  for (const clauses of CLAUSES()) yield * compileAhead(clauses)
  for (const text of ['Is it open?', 'Открыто? 東京']) {
    tokensOf(text)
    yield
    withoutCourtesies(text)
    yield
  }
}

/** What is before the closing of a letter, which is a sentence of its own: the best Fiesta is no best wishes. */
const BEFORE_CLOSING = /(?:^|[.!?…,;:\n)]\s{0,3})$/
/** What is before a greeting, and behind a wish. */
const [BEFORE_GREETING, BEHIND_WISH] = [/^[^\p{L}]{0,5}$/u, /[\s,.!:;-]*/y]
/** Whom a letter is to, behind what greets; and who wrote it, behind what ends it. */
const TO_WHOM = /^[\s,]{0,3}(?:\p{Lu}[\p{L}'’.-]{0,30}(?:\s\p{Lu}[\p{L}'’.-]{0,30}){0,3})?[,!.;:\n–-]{1,9}\s*/u
const FROM_WHOM = /^[\s,.!:;–-]{0,6}(?:\p{Lu}[\p{L}'’.-]{0,30}(?:[\s,&]{1,3}\p{Lu}[\p{L}'’.-]{0,30}){0,4}[\s,!]{0,3})?$/u

/** A message without whom it is to and who wrote it. */
function withoutNames (message: string, standing: Standing): string {
  const [greeting] = standing('greetings', message)
  const isGreeted = greeting !== undefined && BEFORE_GREETING.test(message.slice(0, greeting.start))
  const [to = ''] = (isGreeted ? message.slice(greeting.end).match(TO_WHOM) : null) ?? []
  const body = message.slice(to === '' ? 0 : greeting!.end + to.length)
  for (const { start, end } of standing('closings', body)) {
    const isOfLetter = BEFORE_CLOSING.test(body.slice(Math.max(0, start - 4), start))
    if (isOfLetter && FROM_WHOM.test(body.slice(end))) return body.slice(0, start)
  }
  return body
}

function withoutWishes (text: string, standing: Standing): string {
  let [left, at] = ['', 0]
  for (const { start, end } of standing('wishes', text)) {
    if (start < at) continue
    left += text.slice(at, start) + ' '
    BEHIND_WISH.lastIndex = end
    BEHIND_WISH.test(text)
    at = BEHIND_WISH.lastIndex
  }
  return left + text.slice(at)
}

/** Without what any of the expressions finds: of what begins alike what the first finds, as one of them all would. */
function withoutClauses (text: string): string {
  let [left, at] = ['', 0]
  const found = new Map<RegExp, RegExpExecArray | null>()
  for (;;) {
    let next: RegExpExecArray | undefined
    for (const clauses of CLAUSES()) {
      const before = found.get(clauses)
      clauses.lastIndex = at
      const here = before === null || (before && before.index >= at) ? before : clauses.exec(text)
      found.set(clauses, here)
      if (here && (next === undefined || here.index < next.index)) next = here
    }
    if (next === undefined) return left + text.slice(at)
    left += text.slice(at, next.index) + ' '
    at = next.index + next[0].length
  }
}

/** Either kind of courtesy may be a part of the other: what leaves less is right. */
function shortest (text: string, standing: Standing): string {
  const one = withoutWishes(withoutClauses(text), standing).trim()
  const other = withoutClauses(withoutWishes(text, standing)).trim()
  return other.length < one.length ? other : one
}

/** A question without the courtesies around it and addresses in it; as it is where nothing else is in it. */
export function withoutCourtesies (query: string): string {
  if (query.length > LOOKED_AT) return query
  const plain = query.includes('@') ? query.split(EMAIL).join(' ') : query
  const standing = standingIn()
  const texts = new Set([withoutNames(plain, standing), plain])
  return [...texts].map((text) => shortest(text, standing)).find((left) => /\p{L}{2}/u.test(left)) ?? query
}
