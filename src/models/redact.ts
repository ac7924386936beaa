/** A word, with what makes it an address where that follows: each word is read once, whole. */
const EMAIL = /[\p{L}\p{N}._%+-]+(@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)?/gu
/** Thirteen digits or more, as cards are written. */
const CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])/g
/** Seven digits or more with the separators of telephone numbers; dates and amounts use others. */
const PHONE = /(?<![\w.])(?:\+|00|\(?0)\d(?:[ ()/-]{0,2}\d){6,14}(?!\w)/g

/** A text with e-mail addresses, card numbers and telephone numbers masked. */
export function redacted (text: string): string {
  return text
    .replace(EMAIL, (word, host?: string) => host ? '[e-mail]' : word)
    .replace(CARD, (number) => isCard(number) ? '[card]' : number)
    .replace(PHONE, '[phone]')
}

/** The check digit that all cards have: Luhn's. */
function isCard (number: string): boolean {
  const digits = [...number.replace(/\D/g, '')].reverse().map(Number)
  const sum = digits.reduce((total, digit, i) => {
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2
    return total + (i % 2 ? doubled : digit)
  }, 0)
  return sum % 10 === 0
}
