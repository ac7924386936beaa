import { compileAhead, lazily } from '../../platform/lazily.ts'
import { fold } from '../words/fold.ts'

/** A kind of thing that questions ask for and sentences hold, whatever it is about. */
export type Kind = 'price' | 'duration' | 'time' | 'phone' | 'email' | 'address' | 'temperature' | 'hours'

/** An e-mail address. */
export const EMAIL = /[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}/

const COINS = 'euros?|dollars?|pounds?|francs?|franken|pence|cents?|kroner|kronor|zł|kč|lei|rubl\\p{L}*|₽|грн|lir[ae]|EUR|USD|CHF|GBP|SEK|NOK|DKK|PLN|CZK|TRY|Fr\\.'
const NUMBERS = [
  'one|two|three|four|five|six|seven|eight|nine|ten|twelve|half an?|an?', 'eine[mnrs]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf',
  'un[oae]?|dos|tres|cuatro|cinco|seis|siete|ocho|diez', 'deux|trois|quatre|cinq|sept|huit|dix',
  'due|tre|quattro|cinque|sei|sette|otto|dieci', 'um|uma|dois|duas|três|quatro|oito|dez', 'een|twee|drie|vier|vijf|zes|zeven|acht|tien',
  'dwa|dwie|trzy|cztery|pięć|sześć|siedem|dziesięć', 'två|tre|fyra|fem|sex|sju|tio', 'to|fire|seks|syv|ti', 'iki|üç|dört|beş|altı|yedi|on',
  'два|две|три|четыре|пять|шесть|семь|десять'
].join('|')
const FULL = 'working|business|calendar|full|weitere|volle|aufeinanderfolgende|giorni lavorativi'
const SPANS = [
  'days?|weeks?|months?|years?|hours?|minutes?|mins?', 'tage?n?|werktage?n?|arbeitstage?n?|wochen?|monate?n?|jahre?n?|stunden?|minuten?',
  'd[ií]as?|semanas?|mes|meses|años?|horas?|minutos?', 'jours?|semaines?|mois|ans?|années?|heures?', 'giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|or[ae]|minut[oi]',
  'dias?|mês|anos?', 'dagen|dag|weken|week|maanden|maand|jaar|jaren|uren|uur|minuut|minuten|werkdagen', 'dni|dzień|tygodni\\p{L}*|miesi\\p{L}*|lat|rok|godzin\\p{L}*|minut\\p{L}*',
  'dagar|veckor|vecka|månader|timmar|timme|år', 'dage|uger|uge|måneder|timer|time', 'gün|hafta|ay|yıl|saat|dakika', 'дн\\p{L}*|недел\\p{L}*|месяц\\p{L}*|лет|год\\p{L}*|час\\p{L}*|минут\\p{L}*'
].join('|')
const PRICED = 'price|cost|fee|preis|kosten|gebühr|prix|tarif|precio|prezz|costo|prijs|preço|cena|opłata|pris|avgift|цен|стоимост|вартіст|ücret|fiyat'
/** What a column of prices is not: the name only begins like one. */
const UNPRICED = '\\s?(?:period|group|gruppe|code|list|class|klasse|number|nummer)'
/** Columns of numbers with decimals that are no prices: sizes, weights, times. */
const MEASURED = [
  'weight|length|height|width|depth|size|volume|open|clos|time|hour|gewicht|länge|höhe|breite|tiefe|größe|maß|umfang|öffn|schlie|uhr|zeit',
  'poids|longueur|hauteur|largeur|taille|ouvert|ferm|heure|peso|larg|ancho|alto|altura|talla|abiert|abre|cierr|hora|lunghezza|altezza|apert|chius|ora\\b',
  'lengte|hoogte|breedte|diepte|maat|tijd|waga|długość|wysokość|szerokość|vikt|längd|höjd|bredd|vægt|længde|højde|\\b(?:km|kg|cm|mm|m|g|l|ph)\\b'
].join('|')
const ROADS = '[Ss]treet|St|[Rr]oad|Rd|[Ll]ane|[Aa]venue|Ave|[Ss]quare|[Dd]rive|[Pp]lace|[Ww]ay|[Cc]lose|[Cc]ourt|[Tt]errace|[Rr]ow|[Hh]ill|[Pp]ark|[Yy]ard|[Qq]uay'

/** How each kind is written; what tells two of them is tested once. */
const KINDS = lazily((): [Kind | readonly Kind[], RegExp][] => [
  ['price', new RegExp(`(?:[€£$¥₽₴₺]|\\b(?:EUR|USD|CHF|GBP)\\b)\\s?\\d|\\d[\\d.,]{0,15}\\s?(?:[€£$¥₽₴₺]|(?:${COINS})(?!\\p{L}))|\\d[.,]– `, 'iu')],
  // A cell of a table whose column names the currency, or what time is counted in.
  ['price', new RegExp(`(?:[€£$¥₽₴₺]|(?<!\\p{L})(?:${COINS}))[^\\n:]{0,12}: ?\\d`, 'iu')],
  // Or an amount alone: with two decimals after a comma where nothing else is measured, or in a column of prices.
  ['price', new RegExp(`(?:^|\\n)(?![^\\n:]{0,40}(?:${MEASURED}))[^\\n:]{1,60}: (?:\\p{L}{2,8} )?\\d{1,5},\\d\\d(?=\\n|$)`, 'iu')],
  ['price', new RegExp(`(?:^|\\n)[^\\n:]{0,20}(?:${PRICED})(?!${UNPRICED})[^\\n:]{0,20}: (?:\\p{L}{2,8} )?\\d`, 'iu')],
  ['duration', new RegExp(`(?<!\\p{L})(?:min|h|hrs|std|${SPANS})[^\\n:\\p{L}]{0,3}: ?\\d`, 'iu')],
  ['price', /\d[\d.,]{0,15}\s?(?:円|圓|元|块|원|บาท)|[￥₩฿]\s?\d/u],
  ['duration', /(?<!月)\d{1,4}\s?(?:日|営業日|週間|[ヶか]月|年|時間|分(?!之)|天|个工作日|周|个月|小时|일|주|개월|시간|분|년|วัน|สัปดาห์|เดือน|ปี|ชั่วโมง|นาที)/u],
  ['duration', new RegExp(
    `(?<![\\p{L}\\d])(?:\\d+(?:[.,]\\d+)?(?:\\s?[–-]\\s?\\d+)?|${NUMBERS})\\s(?:(?:${FULL})\\s)?(?:${SPANS})(?!\\p{L})`, 'iu'
  )],
  ...times(),
  ['phone', /(?<![\d.,])(?:\+|00)?\d[\d\s()/-]{6,18}\d(?![\d%])/],
  ['email', EMAIL],
  // Names of roads by what they end with or begin with; a town behind its postcode, in capitals.
  ['address', /(?<![\d.,-])(?:\d{4,5}|\d{4}\s?[A-Z]{2}|\d{2}-\d{3}|\d{3}\s\d{2}|\d{4}-\d{3})\s\p{Lu}\p{L}{2,}/u],
  ['address', /(?<!\p{L})(?:[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}|[A-Z]{2}\s\d{5})(?![\p{L}\d])/u],
  ['address', new RegExp(`\\b\\d+[a-z]?,?\\s+(?:\\p{Lu}[\\p{L}'’.-]{1,30}\\s){1,3}(?:${ROADS})\\b`, 'u')],
  ['address', /\p{L}{0,30}(?:straße|strasse|str\.|weg|platz|gasse|allee|ufer|straat|laan|kade|plein|gracht|singel|dijk|steeg|dreef|markt|damm|chaussee|gatan|vägen|torget|vej|gade|stræde)\s\d+/iu],
  // With an article between: Via delle Rose, Calle de la Luna.
  ['address', new RegExp(
    '(?<!\\p{L})(?:[Cc]alle|[Aa]venida|[Aa]vda\\.?|[Pp]laza|[Pp]aseo|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Rr]ua|[Uu]l\\.|[Uu]lica|[Уу]лица|[Уу]л\\.)' +
    "\\s(?:d(?:e(?:l|i|lla|lle|llo|gli)?|[aeo]s?)\\s|dell['’]|l[ao]s?\\s){0,2}\\p{Lu}", 'u'
  )],
  ['address', /\b\d+\s?(?:bis)?,?\s(?:rue|avenue|boulevard|place|quai|chemin)\b|(?<!\p{L})c\/\s/iu],
  // The number behind the road: as Belgians and the Swiss write, and others whose language is not English.
  ['address', /\p{Lu}[\p{L}'’.-]{1,30}\s(?:Street|St|Road|Rd|Lane|Avenue|Ave|Square|Drive|Terrace)\s\d{1,4}[a-z]?(?=[,.;)\n]|$)(?![.,]\d)/u],
  ['address', new RegExp(
    '(?<!\\p{L})(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Qq]uai|[Cc]hemin|[Cc]haussée|[Ss]quare)\\s(?:[\\p{Ll}’\'-]{1,12}\\s){0,3}' +
    "(?:[ld]['’])?\\p{Lu}[\\p{L}'’-]{1,30}\\s\\d{1,4}[a-z]?(?=[,.;)\\n]|$)(?![.,]\\d)", 'u'
  )],
  ['address', /[都道府県市区町村]\p{L}{0,12}\d|[路街道巷弄]\d|\d号|[가-힣]{2,12}(?:로|길|동)\s?\d|ถนน|ซอย/u],
  ['temperature', /\d\s?°/]
])

/** Words that are numbers, folded, but for those that are articles too. */
const COUNTING = lazily(() => new Set(fold(NUMBERS).split('|').filter((word) => word.length > 2 && !/^(?:eine|una|uma|een)/.test(word))))

/** Names of small numbers, folded, from one to ten; articles are left out. */
const NAMED = lazily(() => new Map([
  'one two three four five six seven eight nine ten', '- zwei drei vier funf sechs sieben acht neun zehn',
  '- dos tres cuatro cinco seis siete ocho nueve diez', '- deux trois quatre cinq six sept huit neuf dix',
  '- due tre quattro cinque sei sette otto nove dieci', '- dois tres quatro cinco seis sete oito nove dez',
  '- twee drie vier vijf zes zeven acht negen tien', '- dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec'
].flatMap((names) => names.split(' ').map((name, at) => [name, at + 1] as const))))

/** The number that a folded word denotes, in digits or as a small one's name; undefined for any other word. */
export const numberOf = (word: string): number | undefined => /^\d{1,9}$/.test(word) ? Number(word) : NAMED().get(word)

/** Whether a folded word is a number. */
export const isNumber = (word: string) => /^\d{1,9}$/.test(word) || COUNTING().has(word)

/** Makes ahead, in small steps, what the first sentence would wait for: expressions are compiled in use. */
export function * prepareKinds (): Generator<void> {
  for (const [, pattern] of KINDS()) yield * compileAhead(pattern)
  yield * compileAhead(anAge())
}

/** Which of these a sentence holds. Every pattern is bounded, so that a long sentence takes time in proportion. */
export function kindsIn (text: string): Set<Kind> {
  return new Set(KINDS().flatMap(([kinds, pattern]) => (pattern.test(text) ? kinds : [])))
}

const spans = lazily(() => new RegExp(`(?<!\\p{L})(?:${SPANS})(?!\\p{L})`, 'iu'))

/** Whether a text speaks of days, hours or minutes, however many. */
export const spansTime = (text: string): boolean => spans().test(text)

/* The ages that something is meant for: a range, a minimum or a maximum. */

const OF_AGE = String.raw`(?:the age of |age |los |las |dem alter von )?(\d{1,3})(?!\d)`
const AGES = lazily(() => ({
  between: /(?<!\d)(\d{1,3})\s?(?:[–-]|to|and|bis|und|a|y|à|et|e|tot|en|do|i|till|og|až|до|и|та|ile)\s?(\d{1,3})(?!\d)/giu,
  from: new RegExp(String.raw`(?<!\p{L})(?:from|over|above|minimum age(?: is)?|ab|über|mindestens|desde|mayores de|a partir d[eo]s?|à partir de|dès|plus de|da|dai|vanaf|boven|od|powyżej|från|över|fra|over|starší|с|от|від)\s${OF_AGE}`, 'giu'),
  under: new RegExp(String.raw`(?<!\p{L})(?:up to|under|below|unter|bis|menores de|hasta|moins de|jusqu’?'?à|sotto i|fino a|menos de|até|onder|tot|poniżej|do|upp till|under|op til|mladší|do|до|младше)\s${OF_AGE}`, 'giu')
}))

/** Years of age, with a bound before or after them. */
const YEARS = 'years?|yrs|jahren?|jährigen?|ans|años|anni|anos|jaar|lat|roku|år|let|лет|года|років|yaş\\p{L}*'
const BOUNDS = [
  'from|over|above|under|below|until|at least|ab|über|unter|bis|mindestens|desde|(?:mayores|menores|partir|más|menos) de|hasta|dès|(?:plus|moins) de|à partir de|jusqu’?\'?à',
  'sopra i|sotto i|oltre i|(?:più|meno) di|dai?|fino a|mais de|menos de|partir dos?|até|vanaf|onder|boven|tot|minstens|od|powyżej|poniżej|do|från|över|under|fra|over|op til|nad|pod|от|до|старше|младше|від'
].join('|')
const BEYOND = '(?:or|and|oder|und|ou|et|o|e|y|en|of|i|och|og) (?:over|older|above|under|younger|up|älter|jünger|plus|más|menos|più|meno|mais|ouder|jonger|äldre|yngre|ældre)'
const LASTING = 'for|takes?|lasts?|dauert|dure|dura|duurt|trwa|tar|tager|trvá|since|warrant|guarantee|experience|seit|garantie|erfahrung|depuis|expérience|hace|garantía|experiencia|da oltre|da più|garanzia|esperienza|há|garantia|sinds|al meer|ervaring|gwarancj|doświadczen|garanti|erfarenhet'
/** Years that a person of a course or a group has, and what stands between two of them. */
const AN_AGE = '(?:[1-9]|1\\d|2[01])'
const TO_AGE = 'to|and|bis|und|a|y|à|et|ai|e|tot|en|do|i|till|og|až'
const anAge = lazily(() => new RegExp(
  // Not the years that a business or a guarantee is old.
  `(?<!\\p{L}|(?:${LASTING})[^.\\n]{0,20})(?:${BOUNDS})\\s(?:the age of |los |las )?(?:[3-9]|1\\d|2[01]|[5-9]\\d)\\s?(?:${YEARS})(?!\\p{L})|` +
  // From one age to another: nobody waits, and nothing lasts, for three to six years.
  `(?<!\\p{L}|\\d|[€£$]\\s?|(?:${LASTING})[^.\\n]{0,20})${AN_AGE}\\s?(?:[–-]|${TO_AGE})\\s?${AN_AGE}[ -](?:${YEARS})(?!\\p{L})|` +
  `(?<!\\d)\\d{1,2}(?:\\s?(?:${YEARS}))?\\s${BEYOND}(?!\\p{L})|(?<!\\d)\\d{1,2}[ -]year[ -]olds?(?!\\p{L})`, 'iu'
))

/** Whether a text says from or up to what age something is for people, in whichever words. */
export const boundsAge = (text: string): boolean => /\d/.test(text) && anAge().test(text)

/** Whether a text is about people of an age: it names it, or a range that it lies in. */
export function holdsAge (text: string, age: number): boolean {
  const { between, from, under } = AGES()
  const some = (pattern: RegExp, holds: (one: number, other: number) => boolean) =>
    [...text.matchAll(pattern)].some(([, one, other]) => holds(Number(one), Number(other)))
  return some(between, (one, other) => one <= age && age <= other) || some(from, (one) => age >= one) ||
    some(under, (one) => age < one)
}

/** A time of day without a mark that says so, as in `8 till 9.15`. */
const CLOCK = '(?:[01]?\\d|2[0-4])'
const [MINUTES, ANY] = ['[.:]\\d\\d', '(?:[.:]\\d\\d)?']
/** Words between which there are hardly ever other things than times. */
const UNTIL = 'until|till|’?til'
/** Words before a range, and within it. */
const FROM = 'from|between|open|served|daily|von|zwischen|entre|de|das|van|tussen|dalle|od|från|fra'
const TO = 'to|until|till|and|bis|und|y|a|à|et|e|às|alle|tot|en|do|till|til|og'
/** Not an amount, a share or how many of something. */
const NOTHING_COUNTED = '(?![.,:]?\\d|\\s?[%€£$°]|\\s?(?:years?|yrs|months?|weeks?|days?|people|persons?|kg|km|g|cm|mm|m|l)(?!\\p{L}))'
/** What follows a number that the words before it make a time of day. */
const AT_END = '(?=[.,;)!?](?!\\d)|$|\\n|\\so’?\'?clock|\\s(?:in the|at night|on the|every|each|daily|sharp)(?!\\p{L}))'
/** Hours in words, after `at` and its like. */
const SAID = [
  `(?:at|by|until|till|before|after|around)\\s(?:\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)${AT_END}`,
  '(?:um|gegen)\\s(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?!\\p{L})',
  '(?:a|hasta|desde) las\\s(?:\\d{1,2}|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)(?![\\p{L}\\d])',
  '(?:à|dès|avant|après)\\s\\d{1,2}\\sheures?(?!\\p{L})',
  'd?alle\\s(?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici)(?!\\p{L})',
  'om\\s(?:een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf)\\suur'
].join('|')
/** From a time of day to another, which the words between tell, or minutes. */
const RANGE = new RegExp(
  `(?<!\\p{L})(?:dalle ${CLOCK}${ANY} alle|das ${CLOCK}${ANY} às) ${CLOCK}${ANY}(?![.,:]?\\d|\\s?[%€£$])|` +
  `(?<![\\d.,€£$])${CLOCK}${ANY}\\s(?:${UNTIL})\\s${CLOCK}${ANY}${NOTHING_COUNTED}|` +
  `(?<!\\p{L})(?:${FROM})\\s${CLOCK}${MINUTES}\\s(?:${TO})\\s${CLOCK}${ANY}(?![.,]?\\d|\\s?[%€£$])`, 'iu'
)

/** How times of day are written, and from one to another. */
export const times = (): ['time' | 'hours' | readonly ['time', 'hours'], RegExp][] => [
  ['time', /(?<![\d.,])(?:\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr|uur|h|kl)(?!\p{L})|\d{1,2}[:h]\d\d(?!\d)|(?:dalle|alle|das|às|kl\.?|od|do|från|fra|с|до)\s\d{1,2}(?:[.:]\d\d)?(?![\d%€]))|\bnoon\b|midnight/iu],
  ['time', /(?<!\d)(?:saat(?:ler[iı])?\s\d{1,2}(?:[.:]\d\d)?|\d{1,2}[.:]\d\d['’](?:[ae]|y[ae]|n[ae]|[dt][ae]n?)(?!\p{L}))/iu],
  ['time', /\d{1,2}(?:時|点|點|시)(?!間|间|간)|\d{1,2}[.:]\d\d\s?น\./u],
  // From a time of day to another.
  ['hours', /\d{1,2}(?:時|点|點|시|[:.]\d\d)(?!間|间|간).{0,12}(?:から|至|到|부터|ถึง|[–〜～~-]).{0,8}\d{1,2}(?:時|点|點|시|[:.]\d\d)/u],
  ['hours', /(?<![\d.,€£$])\d{1,2}(?:[:.h]\d\d)?\s?(?:am|pm|uhr|h)?\s?(?:[–-]|to|until|till|bis|à|a|às|al|alle|tot|do|til|до)\s?(?:kl\.?\s|las\s|le\s)?\d{1,2}(?:[:h]\d\d|(?:[.]\d\d)?\s?(?:am|pm|uhr|uur|h(?!\p{L})))/iu],
  [['time', 'hours'], RANGE],
  ['time', new RegExp(`(?<!\\p{L})(?:${SAID})`, 'iu')]
]
