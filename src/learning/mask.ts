import { compileAhead, lazily } from '../platform/lazily.ts'
import { redacted } from '../models/index.ts'

/*
 * Stored questions contain what was asked, not by whom: pure functions, linear in the text.
 */

/** Consecutive digits that identify an order, a customer, a booking. */
const NUMBER = /\d(?:[ -]?\d){4,}/g

/** Words that precede a name, with any case of the first letter. */
const TITLES =
  'mr|mrs|ms|miss|mx|dr|prof|professor|sir|madam|herr|herrn|frau|fräulein|familie|monsieur|madame|mademoiselle|mme|mlle|señor|señora|señorita|sr|sra|srta|senhor|senhora|signor|signora|signorina|sig|sig.ra|dott|meneer|mevrouw|dhr|mevr|hr|fru|fröken|господин|госпожа'
/** After one of these a name follows even if it is not capitalised. */
const SHORT_TITLES = 'mr|mrs|dr'
/** Phrases that introduce the writer: a name follows. */
const INTRODUCTIONS =
  "my name is|my name's|ich heiße|ich heisse|mein name ist|je m['’]appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|me chamo|chamo-me|meu nome é|ik heet|mijn naam is|jag heter|mitt namn är|jeg hedder|jeg heter|mit navn er|mitt navn er|nazywam się|mam na imię|jmenuji se|nimeni on|benim adım|mă numesc|numele meu este|a nevem|меня зовут|мене звати|με λένε"
/** The same, for names of two words or more: a single word could be a profession. */
const BEINGS = "i am|i['’]m|this is|ich bin|hier ist|je suis|soy|sono|sou|ik ben|jag är|jeg er|jestem"
/** How a letter begins, and how it ends. */
const GREETINGS =
  'dear|hi|hello|hey|hallo|liebe|lieber|guten tag|bonjour|cher|chère|hola|estimado|estimada|querido|querida|ciao|gentile|caro|cara|olá|prezado|prezada|beste|hej|hei|cześć'
const ENDINGS =
  'regards|cheers|thanks|thank you|sincerely|grüße|grüßen|gruß|dank|cordialement|merci|saludos|gracias|saluti|grazie|obrigado|obrigada|groeten|hilsen|hälsningar|pozdrawiam'

const NAME = "\\p{Lu}[\\p{L}'’-]{0,40}"
const NAMES = `${NAME}(?:[ \\u00a0]${NAME}){0,3}`
const ALONE = '(?<![\\p{L}\\p{N}])'

/** Each finds names, after its first group. */
const NAMED = lazily(() => [
  `(${ALONE}(?:(?:${eitherCase(TITLES)}|M)\\.?[ \\u00a0]{1,2}){1,2})${NAMES}`,
  `(${ALONE}(?:${anyCase(SHORT_TITLES)})\\.?[ \\u00a0])[\\p{L}][\\p{L}'’-]{2,40}`,
  `(${ALONE}(?:${anyCase(INTRODUCTIONS)})[ \\u00a0])\\p{L}[\\p{L}'’-]{0,40}(?:[ \\u00a0]${NAME}){0,3}`,
  `(${ALONE}(?:${anyCase(BEINGS)})[ \\u00a0])${NAME}(?:[ \\u00a0]${NAME}){1,3}`,
  `(^(?:${anyCase(GREETINGS)})[ \\u00a0])${NAMES}(?=[,!:.]|$)`,
  `(${ALONE}(?:${anyCase(ENDINGS)})[,.!]?\\s{1,3})${NAMES}[.!]?$`,
  '()(?<![\\p{sc=Han}お])[\\p{sc=Han}\\p{sc=Katakana}ー]{2,6}(?=さん|様)'
].map((pattern) => new RegExp(pattern, 'gu')))

const eitherCase = (words: string) =>
  words.split('|').map(([first = '', ...rest]) => `[${first}${first.toUpperCase()}]${rest.join('')}`).join('|')

/** Letter by letter: `(?i:…)` gave inconsistent results for non-Latin letters from one run to the next. */
const anyCase = (words: string) =>
  words.replaceAll(/\p{L}/gu, (letter) => letter.toUpperCase().length === 1 ? `[${letter}${letter.toUpperCase()}]` : letter)

/** Makes ahead, in steps, what the first text would wait for. */
export function * prepareMasks (): Generator<undefined, void> {
  for (const pattern of NAMED()) yield * compileAhead(pattern)
}

/** A text without addresses, numbers, the visitor's name, and introduced names. */
export function masked (text: string, name: string | null): string {
  const parts = (name ?? '')
    .split(/\s+/)
    .filter((part) => part.length > 2)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const named = parts.length === 0
    ? []
    : [new RegExp(`()(?<![\\p{L}\\p{N}])(?:${parts.join('|')})(?![\\p{L}\\p{N}])`, 'giu')]
  return [...named, ...NAMED()].reduce(
    (shown, pattern) => shown.replace(pattern, '$1[name]'), redacted(text.trim()).replace(NUMBER, '[number]')
  )
}

/** The beginning of a text, masked: no part of an address is left where it was cut. */
export function beginning (text: string, name: string | null, most: number): string {
  const cut = text.slice(0, 2 * most)
  const end = text.length > cut.length ? cut.search(/\s\S*$/) : cut.length
  return masked(end < 0 ? cut : cut.slice(0, end), name).slice(0, most).toWellFormed()
}
