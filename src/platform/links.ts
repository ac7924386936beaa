import { withoutEnd } from './text.ts'

/*
 * What an address in a text is: the server, which judges what a model may link, and the browsers, which draw it, ask
 * here, so that both see the same one. Browsers load this.
 */

/** An address and whatever is written on to it, up to white space, brackets that are not round, or quotes. */
const RUN = /https?:\/\/[^\s<>"'`[\]{}|\\^]+/iy

/** Units that an address, and whatever else an answer is judged by, has at most. */
export const LONGEST = 2048

/** All that looks like an address of the web in a text, each with what is written on to it. */
export function runsIn (text: string): string[] {
  return (text.match(new RegExp(RUN, 'gi')) ?? []).map((run) => run.slice(0, LONGEST))
}

/** What an expression finds at a place of a text. */
export function matchAt (sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

/** The web address that begins at a place of a text, without the marks of the sentence behind it; empty for none. */
export function addressAt (text: string, at: number): string {
  const run = matchAt(RUN, text, at)?.[0] ?? ''
  const address = withoutEnd(run, '.,:;!?*_~)')
  // https://a.example/b_(c): a bracket that it opened is its own.
  const isOpen = address.lastIndexOf('(') > address.lastIndexOf(')')
  return isOpen && run[address.length] === ')' ? address + ')' : address
}

/** An address that a reader may be led to: web, e-mail or telephone, spelt out whole; undefined for every other. */
export function safeUrl (text: string): string | undefined {
  // No white space, and nothing that is not seen; no user name, which looks like the host.
  return /^(?!https?:\/\/[^/?#]*@)(https?:\/\/|mailto:|tel:)[^\s\p{C}]+$/iu.test(text) && URL.canParse(text)
    ? text
    : undefined
}
