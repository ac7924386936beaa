import { lazily } from '../../platform/lazily.ts'
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
const ROADS = '[Ss]treet|St|[Rr]oad|Rd|[Ll]ane|[Aa]venue|Ave|[Ss]quare|[Dd]rive|[Pp]lace|[Ww]ay|[Cc]lose|[Cc]ourt|[Tt]errace|[Rr]ow|[Hh]ill|[Pp]ark|[Yy]ard|[Qq]uay'

const KINDS = lazily((): [Kind, RegExp][] => [
  ['price', new RegExp(`(?:[€£$¥₽₴₺]|\\b(?:EUR|USD|CHF|GBP)\\b)\\s?\\d|\\d[\\d.,]{0,15}\\s?(?:[€£$¥₽₴₺]|(?:${COINS})(?!\\p{L}))|\\d[.,]– `, 'iu')],
  // A cell of a table whose column names the currency, or what time is counted in.
  ['price', new RegExp(`(?:[€£$¥₽₴₺]|(?<!\\p{L})(?:${COINS}))[^\\n:]{0,12}: ?\\d`, 'iu')],
  ['duration', new RegExp(`(?<!\\p{L})(?:min|h|hrs|std|${SPANS})[^\\n:\\p{L}]{0,3}: ?\\d`, 'iu')],
  ['price', /\d[\d.,]{0,15}\s?(?:円|圓|元|块|원|บาท)|[￥₩฿]\s?\d/u],
  ['duration', /(?<!月)\d{1,4}\s?(?:日|営業日|週間|[ヶか]月|年|時間|分(?!之)|天|个工作日|周|个月|小时|일|주|개월|시간|분|년|วัน|สัปดาห์|เดือน|ปี|ชั่วโมง|นาที)/u],
  ['duration', new RegExp(
    `(?<![\\p{L}\\d])(?:\\d+(?:[.,]\\d+)?(?:\\s?[–-]\\s?\\d+)?|${NUMBERS})\\s(?:(?:${FULL})\\s)?(?:${SPANS})(?!\\p{L})`, 'iu'
  )],
  ['time', /(?<![\d.,])(?:\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr|uur|h|kl)(?!\p{L})|\d{1,2}[:h]\d\d(?!\d)|(?:dalle|alle|das|às|kl\.?|od|do|från|fra|с|до)\s\d{1,2}(?:[.:]\d\d)?(?![\d%€]))|\bnoon\b|midnight/iu],
  ['time', /\d{1,2}(?:時|点|點|시)(?!間|间|간)|\d{1,2}[.:]\d\d\s?น\./u],
  // From a time of day to another.
  ['hours', /\d{1,2}(?:時|点|點|시|[:.]\d\d)(?!間|间|간).{0,12}(?:から|至|到|부터|ถึง|[–〜～~-]).{0,8}\d{1,2}(?:時|点|點|시|[:.]\d\d)/u],
  ['hours', /(?<![\d.,€£$])\d{1,2}(?:[:.h]\d\d)?\s?(?:am|pm|uhr|h)?\s?(?:[–-]|to|until|till|bis|à|a|às|al|alle|tot|do|til|до)\s?(?:kl\.?\s|las\s|le\s)?\d{1,2}(?:[:h]\d\d|(?:[.]\d\d)?\s?(?:am|pm|uhr|uur|h(?!\p{L})))/iu],
  ['phone', /(?<![\d.,])(?:\+|00)?\d[\d\s()/-]{6,18}\d(?![\d%])/],
  ['email', EMAIL],
  // Names of roads by what they end with or begin with; a town behind its postcode, in capitals.
  ['address', /(?<![\d.,-])(?:\d{4,5}|\d{4}\s?[A-Z]{2}|\d{2}-\d{3}|\d{3}\s\d{2}|\d{4}-\d{3})\s\p{Lu}\p{L}{2,}/u],
  ['address', /(?<!\p{L})(?:[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}|[A-Z]{2}\s\d{5})(?![\p{L}\d])/u],
  ['address', new RegExp(`\\b\\d+[a-z]?,?\\s+(?:\\p{Lu}[\\p{L}'’.-]{1,30}\\s){1,3}(?:${ROADS})\\b`, 'u')],
  ['address', /\p{L}{0,30}(?:straße|strasse|str\.|weg|platz|gasse|allee|ufer|straat|laan|kade|plein|gatan|vägen|vej|gade)\s\d+/iu],
  ['address', /(?<!\p{L})(?:[Cc]alle|[Aa]venida|[Aa]vda\.?|[Pp]laza|[Pp]aseo|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Rr]ua|[Uu]l\.|[Uu]lica|[Уу]лица|[Уу]л\.)\s\p{Lu}/u],
  ['address', /\b\d+\s?(?:bis)?,?\s(?:rue|avenue|boulevard|place|quai|chemin)\b|(?<!\p{L})c\/\s/iu],
  ['address', /[都道府県市区町村]\p{L}{0,12}\d|[路街道巷弄]\d|\d号|[가-힣]{2,12}(?:로|길|동)\s?\d|ถนน|ซอย/u],
  ['temperature', /\d\s?°/]
])

/** Words that are numbers, folded, but for those that are articles too. */
const COUNTING = lazily(() => new Set(fold(NUMBERS).split('|').filter((word) => word.length > 2 && !/^(?:eine|una|uma|een)/.test(word))))

/** Whether a folded word is a number. */
export const isNumber = (word: string) => /^\d{1,9}$/.test(word) || COUNTING().has(word)

const OF_AGE = String.raw`(?:the age of |age |los |las |dem alter von )?(\d{1,3})(?!\d)`
const AGES = lazily(() => ({
  between: /(?<!\d)(\d{1,3})\s?(?:[–-]|to|and|bis|und|a|y|à|et|e|tot|en|do|i|till|og|až|до|и|та|ile)\s?(\d{1,3})(?!\d)/giu,
  from: new RegExp(String.raw`(?<!\p{L})(?:from|over|above|minimum age(?: is)?|ab|über|mindestens|desde|mayores de|a partir d[eo]s?|à partir de|dès|plus de|da|dai|vanaf|boven|od|powyżej|från|över|fra|over|starší|с|от|від)\s${OF_AGE}`, 'giu'),
  under: new RegExp(String.raw`(?<!\p{L})(?:under|below|unter|bis|menores de|hasta|moins de|jusqu’?'?à|sotto i|fino a|menos de|até|onder|tot|poniżej|do|upp till|under|op til|mladší|do|до|младше)\s${OF_AGE}`, 'giu')
}))

/** Whether a text is about people of an age: it names it, or a range that it lies in. */
export function holdsAge (text: string, age: number): boolean {
  const { between, from, under } = AGES()
  const some = (pattern: RegExp, holds: (one: number, other: number) => boolean) =>
    [...text.matchAll(pattern)].some(([, one, other]) => holds(Number(one), Number(other)))
  return some(between, (one, other) => one <= age && age <= other) || some(from, (one) => age >= one) ||
    some(under, (one) => age < one)
}

/** Which of these a sentence holds. Every pattern is bounded, so that a long sentence takes time in proportion. */
export function kindsIn (text: string): Set<Kind> {
  return new Set(KINDS().flatMap(([kind, pattern]) => (pattern.test(text) ? [kind] : [])))
}
