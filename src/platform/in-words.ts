/**
 * Turns a technical name into words for people: `customer.email` and `customerEmail` become `Customer email`. Browsers
 * load this.
 */
export function inWords (name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])(?=[a-z])/g, (_all, end: string, begin: string) => `${end} ${begin.toLowerCase()}`)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1) || name
}
