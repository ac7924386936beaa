import { withoutEnd } from './text.ts'

/*
 * Recognises addresses in a text: the server, which judges what a model may link, and the browsers, which render it,
 * both use this, so that they see the same one. Browsers load this.
 */

/** An address and anything directly after it, up to white space, brackets that are not round, or quotes. */
const RUN = /https?:\/\/[^\s<>"'`[\]{}|\\^]+/iy

/** Maximum length in units of an address, and of other things that an answer is judged by. */
export const LONGEST_LINK = 2048

/** Everything in a text that looks like a web address, each with what directly follows it. */
export function runsIn (text: string): string[] {
  return (text.match(new RegExp(RUN, 'gi')) ?? []).map((run) => run.slice(0, LONGEST_LINK))
}

/** What an expression matches at a position of a text. */
export function matchAt (sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

/** https://a.example/b_(c): brackets that are opened and closed in it belong to it, and no others. */
const CLOSED = /^(?:[^()]+|\([^()]*(?:\)|$))*/

/**
 * The web address that begins at a position of a text, without the punctuation after it; empty if none. It ends at a
 * bracket that was opened before it: what follows a link must not become part of it where a reader sees no link.
 */
export function addressAt (text: string, at: number): string {
  const run = matchAt(RUN, text, at)?.[0] ?? ''
  return withoutEnd(CLOSED.exec(run)![0], '.,:;!?*_~')
}

/** An address that may be shown as a link: web, e-mail or telephone, in full; undefined for any other. */
export function safeUrl (text: string): string | undefined {
  // No white space, and nothing invisible; no user name, which looks like the host.
  return /^(?!https?:\/\/[^/?#]*@)(https?:\/\/|mailto:|tel:)[^\s\p{C}]+$/iu.test(text) && URL.canParse(text)
    ? text
    : undefined
}
