/**
 * A text without any of these characters at its end. An expression that ends in `$` would try every run of them in the
 * text from each of its places: quadratic. Browsers load this.
 */
export function withoutEnd (text: string, characters: string): string {
  let end = text.length
  while (end && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Characters of a name that become a key. */
const LONGEST_SLUG = 40

/** A name as a key, in letters that are good for a file's name anywhere: `support-agent`; empty where it has none. */
export function slugOf (name: string): string {
  const plain = name.slice(0, 4 * LONGEST_SLUG).normalize('NFKD').toLowerCase().replaceAll(/\p{M}+/gu, '')
  return withoutEnd(plain.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, '').slice(0, LONGEST_SLUG), '-')
}

/**
 * Whether a text has more characters than that, told without counting more of them than it asks for: a character is one
 * unit or two.
 */
export function isLongerThan (text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || charactersOf(text) > most)
}

/** The same the other way round. */
export function isShorterThan (text: string, least: number): boolean {
  return text.length < 2 * least && charactersOf(text) < least
}

function charactersOf (text: string): number {
  let characters = 0
  for (let at = 0; at < text.length; at++) {
    if (text.codePointAt(at)! > 0xFFFF) at++
    characters++
  }
  return characters
}

/** Units at the beginning and at the end of a text in which something other than blanks is looked for. */
const LOOKED_AT = 2 ** 20

/** Whether a text is nothing but blanks; one that begins and ends with a million of them is taken for such. */
export function isBlank (text: string): boolean {
  if (text.length <= 2 * LOOKED_AT) return text.trim() === ''
  return text.slice(0, LOOKED_AT).trim() === '' && text.slice(-LOOKED_AT).trim() === ''
}
