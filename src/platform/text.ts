/**
 * A text without any of these characters at its end. An expression that ends in `$` would try every run of them in the
 * text from each of its places: quadratic. Browsers load this.
 */
export function withoutEnd (text: string, characters: string): string {
  let end = text.length
  while (end && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
