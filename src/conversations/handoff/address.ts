import { compileAhead } from '../../platform/lazily.ts'

/** An e-mail address in a message; `isAll`: there is almost nothing else in it, and no question. */
export interface Address { email: string, isAll: boolean }

/** The text around an `@`, of bounded length; letters of other scripts belong to the sentence around it. */
const BEFORE = /(?<![\p{Script=Latin}\d])[\p{Script=Latin}\d][\p{Script=Latin}\d._%+~&#-]{0,63}$/u
const BEHIND = /^[\p{Script=Latin}\d-]{1,63}(?:\.[\p{Script=Latin}\d-]{1,63}){1,8}/u
const LONGEST_AROUND = { before: 64, behind: 190 }
/** A message that is longer is about something else. */
const LONGEST_ATTEMPT = 80
/** Further `@` are not checked. */
const MOST_TRIES = 20
const ASKED = /[?？؟]/
/** "You can reach me at …, thank you very much" has 34 letters. */
const BESIDE = 40

/**
 * The first address in a text, written or spelt out, except the business's (`ofBusiness`); undefined if there is none.
 */
export function addressIn (said: string, ofBusiness: string | null): Address | undefined {
  const text = withAddressesWritten(said)
  let at = text.indexOf('@')
  for (let tries = 0; at >= 0 && tries < MOST_TRIES; tries++, at = text.indexOf('@', at + 1)) {
    const from = Math.max(0, at - LONGEST_AROUND.before - 1)
    const before = BEFORE.exec(text.slice(from, at))?.[0]
    const behind = BEHIND.exec(text.slice(at + 1, at + 1 + LONGEST_AROUND.behind))?.[0]
    if (before === undefined || behind === undefined) continue
    const email = `${before}@${behind}`
    if (email.toLowerCase() === ofBusiness?.toLowerCase()) continue
    const rest = text.slice(0, at - before.length) + text.slice(at + 1 + behind.length)
    return { email, isAll: !ASKED.test(rest) && lettersIn(rest) <= BESIDE }
  }
  return undefined
}

/** Whether a short text seems to say an address that cannot be read, such as `ada@visitor`, and asks nothing. */
export function isUnclearAddress (text: string): boolean {
  return text.length <= LONGEST_ATTEMPT && !ASKED.test(text) && seemsToSayAddress(text) && !addressIn(text, null)
}

/** A number of a telephone, however it is grouped. */
const NUMBER = /(?<![\d.,])\+?\d(?:[\s()/.-]{0,2}\d){6,14}(?![\d.,])/

/** Whether a message only says where its writer can be reached: an address, readable or not, or a telephone number. */
export function isOnlyContact (text: string): boolean {
  if (addressIn(text, null)?.isAll || isUnclearAddress(text)) return true
  return text.length <= LONGEST_ATTEMPT && NUMBER.test(text) && !ASKED.test(text) && lettersIn(text.replace(NUMBER, '')) <= BESIDE
}

/** A text without the addresses in it: their parts are of no language. */
export function withoutAddresses (text: string): string {
  const written = withAddressesWritten(text)
  // Without any, the expression would try sixty-four characters from each on.
  return written.includes('@') ? written.replaceAll(/\S{1,64}@\S{1,190}/gu, ' ') : written
}

function lettersIn (text: string): number {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').length
}

/*
 * Addresses as people write them where they dictate, or hide them from robots: "ania at example dot pl",
 * "piet (at) voorbeeld.nl", "luca chiocciola esempio punto it", "ada @ visitor.example", "ada@visitor,example".
 */

/** What an `@` is called, in words of which most mean nothing else beside a dot. */
const AT = 'arroba|arobase|małpa|malpa|apenstaartje|apestaartje|chiocciola|klammeraffe|zavináč|zavinač|zavinac|' +
  'kukac|snabel-?a|afna|miukumauku|собака|собачка|παπάκι'
const DOT = 'dot|punkt|kropka|punt|punto|ponto|point|tečka|tecka|bodka|pont|punct|piste|prik|точка|крапка|τελεία'
/** What may be said behind a dot that is called "point": "at this point in time" is no address. */
const POINTED = 'com|net|org|eu|fr|ch'
const [LEFT, RIGHT, SPACE] = [String.raw`\s{0,2}[([{]\s?`, String.raw`\s?[)\]}]\s{0,2}`, String.raw`\s{1,2}`]
/**
 * Ranges that letters and digits are in. The class of all letters is long when it is compiled, and stands here so often
 * that the first message would wait for it.
 */
const LETTER = String.raw`a-z\d\u{c0}-\u{24f}\u{370}-\u{1fff}\u{3040}-\u{d7ff}`
const LABEL = String.raw`[${LETTER}-]{1,63}`
const NAME = String.raw`[${LETTER}._%+-]{1,64}`
const SAID_DOT = String.raw`(?:${LEFT}(?:${DOT}|\.)${RIGHT}|${SPACE}(?:${DOT})${SPACE})`
const DOMAIN = String.raw`${LABEL}(?:(?:\.|${SAID_DOT})${LABEL}){1,5}`
/** Nothing that would make the address longer. */
const END = String.raw`(?![${LETTER}@-])`

/** What introduces an address. Other words before it may be the beginning of its name: it is not guessed then. */
const LEAD = String.raw`(?:^|[:,;!?\n]|(?<![${LETTER}])(?:e-?mail|mailadres|mail|adres|adresse|address|indirizzo|correo|` +
  String.raw`is|ist|jest|to|est|es|é|è|er|är|je)(?![${LETTER}])\s?:?)\s{0,3}`
const NAMES_AN_ADDRESS = /mail|adres|address|indirizzo|correo/i
/** Characters in which that is looked for. */
const NEARBY = 20

const SAID = new RegExp(
  String.raw`(?<lead>${LEAD})(?<name>${NAME}(?:${SAID_DOT}${NAME}){0,4})` +
    String.raw`(?:${SPACE}(?<at>at|${AT})${SPACE}|${SPACE}@\s?|@${SPACE})(?<domain>${DOMAIN})${END}`,
  'giu'
)
const MARKED = new RegExp(
  String.raw`(?<![${LETTER}._%+-])(?<name>${NAME})${LEFT}(?:at|${AT}|@)${RIGHT}(?<domain>${DOMAIN})${END}`, 'giu'
)
const DOTS = new RegExp(SAID_DOT, 'giu')
/** A comma in place of the only dot. */
const COMMA = new RegExp(String.raw`(?<=@${LABEL}),(?=[a-z]{2,4}${END}(?!\.[${LETTER}]))`, 'giu')

/** A domain behind "at" whose dots are said; the last of them may be a "point". */
const SAID_BEHIND_AT = String.raw`${SPACE}(?:(?!point\s)(?:${DOT})\s|point\s{1,2}(?:${POINTED})(?![${LETTER}]))`
/** Something like an address of which not every part can be read. */
const ATTEMPT = new RegExp(
  String.raw`[${LETTER}]\s?@|(?<![${LETTER}])(?:` +
    String.raw`(?:${AT})(?![${LETTER}]).{1,60}(?:${SAID_DOT}|\p{L}\.\p{L})|at\s.{1,60}${SAID_BEHIND_AT})`,
  'isu'
)
const ENDS_POINTED = new RegExp(String.raw`\s(?:${POINTED})$`, 'iu')

/** Prepares ahead what would delay the first message: its expressions take a tenth of a second to compile. */
export function * prepareSpokenAddresses (): Generator<void> {
  for (const expression of [ATTEMPT, MARKED, SAID, COMMA]) yield * compileAhead(expression)
}

/** Whether a text seems to say an address, complete or not. */
export const seemsToSayAddress = (text: string): boolean => ATTEMPT.test(text)

/** A text in which the addresses that it spells out are written with `@` and dots. */
export function withAddressesWritten (text: string): string {
  return text
    .replaceAll(MARKED, (_, name: string, domain: string) => written(name, domain))
    .replaceAll(SAID, (whole, lead: string, name: string, at: string | undefined, domain: string, from: number) =>
      at?.toLowerCase() === 'at' && !isSaidDomain(domain) && !isIntroduced(text, from + lead.length)
        ? whole
        : lead + written(name, domain))
    .replaceAll(COMMA, '.')
}

/** Whether a domain behind "at" is said as one: "look at example.com" has a site, "at this point in time" none. */
const isSaidDomain = (domain: string): boolean =>
  domain !== dotted(domain) && (!/\spoint\s/i.test(domain) || ENDS_POINTED.test(domain))

/** Whether a word shortly before this position names an address. */
const isIntroduced = (text: string, at: number): boolean =>
  NAMES_AN_ADDRESS.test(text.slice(Math.max(0, at - NEARBY), at))

const dotted = (text: string): string => text.replaceAll(DOTS, '.')

const written = (name: string, domain: string): string => `${dotted(name)}@${dotted(domain)}`
