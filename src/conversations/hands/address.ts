/** An e-mail address in a message; `isAll`: there is next to nothing else in it, and nothing that is asked. */
export interface Address { email: string, isAll: boolean }

/** What stands around an `@`, of bounded length; the letters of other scripts belong to the sentence around it. */
const BEFORE = /(?<![\p{Script=Latin}\d])[\p{Script=Latin}\d][\p{Script=Latin}\d._%+~&#-]{0,63}$/u
const BEHIND = /^[\p{Script=Latin}\d-]{1,63}(?:\.[\p{Script=Latin}\d-]{1,63}){1,8}/u
const LONGEST = { before: 64, behind: 190 }
/** An `@` more is not looked at. */
const MOST = 20
const ASKED = /[?？؟]/
/** "You can reach me at …, thank you very much" has 34 letters. */
const BESIDE = 40

/** The first address in a text that is not `own`, the business's; undefined where there is none. */
export function addressIn (text: string, own: string | null): Address | undefined {
  let at = text.indexOf('@')
  for (let tries = 0; at >= 0 && tries < MOST; tries++, at = text.indexOf('@', at + 1)) {
    const from = Math.max(0, at - LONGEST.before - 1)
    const before = BEFORE.exec(text.slice(from, at))?.[0]
    const behind = BEHIND.exec(text.slice(at + 1, at + 1 + LONGEST.behind))?.[0]
    if (before === undefined || behind === undefined) continue
    const email = `${before}@${behind}`
    if (email.toLowerCase() === own?.toLowerCase()) continue
    const rest = text.slice(0, at - before.length) + text.slice(at + 1 + behind.length)
    return { email, isAll: !ASKED.test(rest) && lettersIn(rest) <= BESIDE }
  }
  return undefined
}

function lettersIn (text: string): number {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').length
}
