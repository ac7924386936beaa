import { seemsToSayAddress, withAddressesWritten } from './spoken.ts'

/** An e-mail address in a message; `isAll`: there is almost nothing else in it, and no question. */
export interface Address { email: string, isAll: boolean }

/** The text around an `@`, of bounded length; letters of other scripts belong to the sentence around it. */
const BEFORE = /(?<![\p{Script=Latin}\d])[\p{Script=Latin}\d][\p{Script=Latin}\d._%+~&#-]{0,63}$/u
const BEHIND = /^[\p{Script=Latin}\d-]{1,63}(?:\.[\p{Script=Latin}\d-]{1,63}){1,8}/u
const LONGEST = { before: 64, behind: 190 }
/** A message that is longer is about something else. */
const LONGEST_ATTEMPT = 80
/** Further `@` are not checked. */
const MOST = 20
const ASKED = /[?？؟]/
/** "You can reach me at …, thank you very much" has 34 letters. */
const BESIDE = 40

/**
 * The first address in a text, written or spelt out, except the business's (`ofBusiness`); undefined if there is none.
 */
export function addressIn (said: string, ofBusiness: string | null): Address | undefined {
  const text = withAddressesWritten(said)
  let at = text.indexOf('@')
  for (let tries = 0; at >= 0 && tries < MOST; tries++, at = text.indexOf('@', at + 1)) {
    const from = Math.max(0, at - LONGEST.before - 1)
    const before = BEFORE.exec(text.slice(from, at))?.[0]
    const behind = BEHIND.exec(text.slice(at + 1, at + 1 + LONGEST.behind))?.[0]
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

/** A text without the addresses in it: their parts are of no language. */
export function withoutAddresses (text: string): string {
  return withAddressesWritten(text).replaceAll(/\S{1,64}@\S{1,190}/gu, ' ')
}

function lettersIn (text: string): number {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').length
}
