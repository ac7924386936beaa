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
