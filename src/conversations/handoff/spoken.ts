import { compileAhead } from '../../platform/lazily.ts'

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
