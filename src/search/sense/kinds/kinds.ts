import { compileAhead, lazily } from '../../../platform/lazily.ts'
import { fold } from '../../words/fold.ts'
import { anAge } from './ages.ts'
import { times } from './times.ts'

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
  // Or an amount by itself: with two decimals behind a comma where nothing else is measured, or in a column of prices.
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
