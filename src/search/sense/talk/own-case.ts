import { compileAhead, lazily } from '../../../platform/lazily.ts'

/**
 * How people ask about a case of their own, by language: where their order is, whether it has left, that it did not
 * come. What a business writes for everybody says nothing of it.
 */
const WORDINGS: Record<string, string> = {
  en: 'where(?:[’\']?s| is| are) (?:my|our)|wh(?:at|y)(?:[’\']?s| is| happened| has happened).{0,20} (?:to|with) (?:my|our)|(?:status of|track) (?:my|our)|when (?:will|is|are|does) (?:my|our) [a-z]+ (?:arriv|com|ship|be deliver|get here)|ha(?:s|ve) (?:my|our) [a-z]+ (?:been|ship|arriv|left|gone)|(?:my|our) [a-z]+ (?:has|have|is|was|did|does)(?: still)?(?: not|n[’\']?t) (?:yet |even |been |arriv|com|deliver|ship|here|turn|work)|(?:have|has|did)(?: not|n[’\']?t)(?: yet)? (?:received?|got|get) (?:my|our|it|anything)|nothing (?:has )?(?:came|come|arrived)|still waiting for',
  de: 'wo (?:ist|bleib[ent]+|sind)(?: denn| eigentlich| nur| jetzt)? (?:mein|unser)|wann (?:kommt|kommen)(?: denn| endlich)? (?:mein|unser)|(?:mein|unser)[a-z]* [a-zäöüß]+ (?:ist|sind|kam|wurde)(?: immer)?(?: noch)? (?:nicht|nie)|(?:status|stand) (?:meine|unsere)|(?:ist|sind|wurde|wurden) (?:mein|unser)[a-z]* [a-zäöüß]+ (?:schon|bereits|angekommen|verschickt|versandt|unterwegs)|(?:noch )?(?:nichts|nie etwas) (?:erhalten|bekommen|angekommen)|warte (?:immer )?noch auf',
  fr: 'o[uù] (?:est|en est|sont)(?: donc)? (?:ma|mon|mes|notre|nos)|quand (?:arrive|arrivera|vais.je recevoir) (?:ma|mon|mes|notre|nos)|(?:ma|mon|mes) [a-zà-ÿ]+ n(?:e |[’\' ])(?:est|sont|a|ont) (?:pas|toujours pas|jamais)|n(?:e l)?[’\' ]ai (?:toujours |encore )?(?:pas|rien|jamais)(?: encore)? re[cç]u|(?:suivre|suivi de|statut de) (?:ma|mon|mes)',
  es: 'd[oó]nde est[aá]n? (?:mi|mis|nuestr)|cu[aá]ndo (?:llega|llegar[aá]|viene)n? (?:mi|mis)|(?:mi|mis) [a-záéíóúñ]+ (?:no|a[uú]n no|todav[ií]a no) (?:me )?(?:ha|lleg)|no me ha[n]? llegado|no he recibido|estado de (?:mi|mis)',
  it: 'dov(?:e |[’\' ]{0,2})[eè][’\']? (?:il mio|la mia|i miei|le mie)|quando arriva(?:no)? (?:il mio|la mia|i miei|le mie)|(?:il mio|la mia) [a-zà-ÿ]+ non (?:mi )?[eè] (?:ancora )?arriv|non ho (?:ancora )?ricevuto|non (?:mi )?[eè] (?:ancora )?arrivat',
  pt: 'onde est[aáã]o? (?:o meu|a minha|os meus|as minhas|meu|minha)|quando chega[m]? (?:o meu|a minha|meu|minha)|(?:meu|minha) [a-zà-ÿ]+ (?:ainda )?n[aã]o cheg|n[aã]o recebi',
  nl: 'waar (?:is|blijf[t]?|blijven|zijn)(?: nou)? (?:mijn|onze|ons)|wanneer komt (?:mijn|onze)|mijn [a-z]+ is (?:nog )?(?:steeds )?niet|(?:nog )?(?:niets|niet) (?:ontvangen|gekregen)',
  sv: 'var (?:är|finns) (?:min|mitt|mina|vår)|när kommer (?:min|mitt|mina|vår)|(?:min|mitt|mina) [a-zåäö]+ har inte|inte fått (?:min|mitt|mina|något)',
  da: 'hvor (?:er|bliver) (?:min|mit|mine|vores)|hvorn[aå]r kommer (?:min|mit|mine|vores)|(?:min|mit|mine) [a-zæøå]+ er (?:stadig )?ikke|ikke (?:modtaget|fået) (?:min|mit|mine|noget)',
  no: 'hvor (?:er|blir) (?:[a-zæøå]+ )?(?:min|mitt|mine|vår)|n[aå]r kommer (?:[a-zæøå]+ )?(?:min|mitt|mine|vår)|(?:min|mitt|mine) [a-zæøå]+ (?:har|er) (?:fortsatt |enda )?ikke|ikke (?:mottatt|fått) (?:min|mitt|mine|noe)',
  fi: 'missä (?:on )?(?:minun )?[a-zäö]+ni(?![a-zäö])|milloin [a-zäö]+ni (?:saapuu|tulee)|en ole saanut',
  pl: 'gdzie (?:jest|są) (?:moj|mój|nasz)|kiedy (?:dotrze|przyjdzie|przyjedzie|będzie) (?:moj|mój)|(?:moj[a-zę]+|mój) [a-ząćęłńóśźż]+ (?:jeszcze |nadal |wciąż )?nie (?:dotar|przysz)|nie (?:dostał|otrzymał)',
  cs: 'kde (?:je|jsou) (?:moje|můj|má)|kdy (?:dorazí|přijde) (?:moje|můj|má)|(?:stále |ještě )?(?:mi )?nedorazil|nedostal[a]? jsem',
  ro: 'unde (?:este|e|sunt) [a-zăâîșț]+ (?:mea|meu|mele)|când (?:ajunge|vine) [a-zăâîșț]+ (?:mea|meu|mele)|nu am primit',
  hu: 'hol van (?:a |az )?[a-záéíóöőúüű]+(?:em|om|öm|am|im)(?![a-záéíóöőúüű])|nem kaptam meg|nem érkezett meg',
  tr: '[a-zçğıöşü]+(?:im|ım|um|üm) (?:nerede|ne zaman|gelmedi|ulaşmadı|hala)',
  ru: 'где (?:мой|моя|мо[её]|мои|наш)|когда (?:прид[её]т|приедет|доставят|будет) (?:мой|моя|мо[её]|мои|мою)|(?:мой|моя|мо[её]|мои) [а-яё]+ (?:вс[её] )?(?:ещ[её] )?не |не получил',
  uk: 'де (?:мій|моя|моє|мої|наш)|коли (?:прийде|приїде|доставлять|буде) (?:мій|моя|моє|мої|мою)|(?:мій|моя|моє|мої) [а-яіїєґ]+ (?:досі |ще )?не |не отрима',
  bg: 'къде (?:е|са) [а-я]+ ми|кога (?:ще )?пристигне|не съм получил',
  el: 'πού είναι (?:η|το|ο) [α-ωά-ώ]+ μου|πότε (?:θα )?(?:έρθει|φτάσει) (?:η|το|ο) [α-ωά-ώ]+ μου|δεν έχω λάβει',
  ar: 'أين (?:طلبي|طردي|شحنتي|طلبيتي)|وين (?:طلبي|طردي|شحنتي)|لم (?:يصل|أستلم|استلم)',
  he: 'איפה (?:ה[א-ת]+ שלי|ההזמנה|החבילה)|לא קיבלתי',
  ja: '(?:注文|荷物|商品|予約).{0,10}(?:どこ|届いてい?ません|届かない|まだ)',
  zh: '我的.{0,8}(?:在哪|到哪|什么时候到|什麼時候到|还没|還沒)|(?:还没|還沒|没有|沒有)收到',
  ko: '(?:제|내) ?[가-힣]+(?:이|가|은|는)? ?(?:어디|언제 (?:와|오|도착)|안 왔|아직)|못 받았',
  id: '(?:di ?mana|mana) (?:pesanan|paket|kiriman) (?:saya|ku)|kapan (?:pesanan|paket) (?:saya|ku)|belum (?:saya )?terima',
  vi: '(?:đơn hàng|hàng|gói hàng) của (?:tôi|mình).{0,12}(?:đâu|chưa)|chưa nhận được',
  th: '(?:พัสดุ|ออเดอร์|ของ).{0,12}(?:อยู่ไหน|อยู่ที่ไหน|ยังไม่)'
}

const COMPILED = lazily(() => new Map(Object.entries(WORDINGS).map(([language, wordings]) =>
  [language, lazily(() => new RegExp(`(?<![\\p{L}\\p{N}])(?:${wordings})`, 'iu'))])))

/** More of a question is not looked at. */
const LOOKED_AT = 300

/** Whether a question is about a case of the customer's own; `language`: its language, as far as it is known. */
export function isOfOwnCase (text: string, language: string | null): boolean {
  return COMPILED().get(language ?? 'en')?.().test(text.slice(0, LOOKED_AT)) ?? false
}

const prepared = new Set<string>()

/** Compiles ahead, in steps, what tells it in a language, once. */
export function * prepareOwnCase (language: string): Generator<undefined, void> {
  const pattern = COMPILED().get(language)
  if (pattern === undefined || prepared.has(language)) return
  prepared.add(language)
  yield * compileAhead(pattern())
}
