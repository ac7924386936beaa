/**
 * A text without any of these characters at its end. A regular expression ending in `$` would try every run of them
 * from each position: quadratic time. Browsers load this.
 */
export function withoutEnd (text: string, characters: string): string {
  let end = text.length
  while (end && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Maximum characters of a name that is turned into a key. */
const LONGEST_SLUG = 40

/** Turns a name into a key, in characters valid in any file name: `support-agent`; empty if nothing is left. */
export function slugOf (name: string): string {
  const plain = name.slice(0, 4 * LONGEST_SLUG).normalize('NFKD').toLowerCase().replaceAll(/\p{M}+/gu, '')
  return withoutEnd(plain.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, '').slice(0, LONGEST_SLUG), '-')
}

/**
 * Whether a text has more characters than that, without counting more than necessary: a character is one unit or two.
 */
export function isLongerThan (text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || charactersOf(text) > most)
}

/** The reverse. */
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

/** Units at the beginning and the end of a text that are searched for anything other than blanks. */
const LOOKED_AT = 2 ** 20

/** Only blanks, and characters that show nothing, such as direction marks, fillers and zero-width spaces. */
const NOTHING_SEEN = /^[\s\p{Cc}\p{DI}\u2800]*$/u

/** Whether nothing of a text is seen; one that begins and ends with a million blanks counts as such. */
export function isBlank (text: string): boolean {
  if (text.length <= 2 * LOOKED_AT) return NOTHING_SEEN.test(text)
  return NOTHING_SEEN.test(text.slice(0, LOOKED_AT)) && NOTHING_SEEN.test(text.slice(-LOOKED_AT))
}
