import type { Citation } from '../../../schema/conversations.ts'
import { withoutEnd } from '../../platform/text.ts'
import { asked, coverage } from '../../search/coverage.ts'
import { guessLanguage } from '../../search/words/guess.ts'
import type { Language } from '../../search/words/languages.ts'
import { words } from '../../search/words/words.ts'
import { sentences, type Candidate } from './extract.ts'

/**
 * Takes out of an answer, piece by piece as it comes, what it may not say. However it is cut into pieces, the result is
 * the same.
 */
export interface Cleaner {
  /** The next piece of what the model wrote; returns what can be shown by now. */
  push (piece: string): string
  /** Nothing more comes; returns the rest. */
  end (): string
}

const TAG =
  /^<\/?(?:a|img|image|picture|source|script|iframe|frame|style|object|embed|form|input|button|textarea|link|meta|base|svg|math|video|audio|track)\b/i
const AUTOLINK = /^<[a-z][a-z0-9+.-]*:/i
const REFERENCE = /^\d{1,4}(?:\s*[,;]\s*\d{1,4})*$/
/** A run of characters that an address may be made of: all of ASCII that is seen, but `<>()[]"'!`. */
const WORD = /^[#-&*-;=?-Z\\^-~]+/
/** A run of characters that mean nothing here. */
const PLAIN = /^[^ \t!-~]+/
const ADDRESS = /(?:https?:\/\/|www\.|\b(?:javascript|data|vbscript|file|ftp):)/i

/**
 * A stretch of the text that has been judged: how long it is, and what is shown of it. Null: more of the text is
 * needed.
 */
type Judged = { length: number, shown: string } | null

/** What an answer may name. */
export interface Allowed {
  /** Whether a number names a source. */
  isSource: (n: number) => boolean
  /** Whether an address may be linked. */
  isAllowed: (address: string) => boolean
}

/** See Cleaner. Nothing it looks for reaches over the end of a line, so no more than a line is held back. */
export function cleaner (allowed: Allowed): Cleaner {
  let held = ''

  function take (isEnd: boolean): string {
    // Joined at the end: as a sum of its words it would keep each of them for as long as it is kept itself.
    const shown: string[] = []
    let at = 0
    while (at < held.length) {
      const judged = judge(held.slice(at), isEnd, allowed)
      if (!judged) break
      shown.push(judged.shown)
      at += judged.length
    }
    held = held.slice(at)
    return shown.join('')
  }

  return {
    push (piece) {
      held += piece
      return take(false)
    },
    end: () => take(true)
  }
}

function judge (text: string, isEnd: boolean, allowed: Allowed): Judged {
  const first = text[0] ?? ''
  if (first === ' ' || first === '\t') return judgeSpace(text, isEnd, allowed)
  if (first === '!') {
    return text.length === 1 && !isEnd
      ? null
      : text[1] === '['
        ? judgeBracket(text, 1, isEnd, allowed)
        : { length: 1, shown: '!' }
  }
  if (first === '[') return judgeBracket(text, 0, isEnd, allowed)
  if (first === '<') return judgeTag(text, isEnd, allowed)
  const word = WORD.exec(text)?.[0]
  if (word !== undefined) return judgeWord(word, word.length === text.length && !isEnd, allowed)
  const shown = PLAIN.exec(text)?.[0] ?? first
  return { length: shown.length, shown }
}

/** Space goes with the number after it. */
function judgeSpace (text: string, isEnd: boolean, allowed: Allowed): Judged {
  const length = /^[ \t]+/.exec(text)![0].length
  if (length === text.length && !isEnd) return null
  const space = { length, shown: text.slice(0, length) }
  if (text[length] !== '[') return space
  const next = judgeBracket(text.slice(length), 0, isEnd, allowed)
  if (!next) return null
  return next.shown === '' && next.length > 1 ? { length: length + next.length, shown: '' } : space
}

/**
 * An image (from `!`), a link, or a reference. Anything else is the bracket alone; what is in it is judged after it.
 */
function judgeBracket (text: string, from: 0 | 1, isEnd: boolean, allowed: Allowed): Judged {
  const mark = { length: from + 1, shown: text.slice(0, from + 1) }
  const label = /^[^\][\n]*/.exec(text.slice(from + 1))![0]
  const close = from + 1 + label.length
  if (close === text.length) return isEnd ? mark : null
  if (text[close] !== ']') return mark
  if (close + 1 === text.length && !isEnd) return null
  if (text[close + 1] === '(') {
    const target = /^[^()\n]*/.exec(text.slice(close + 2))![0]
    const end = close + 2 + target.length
    if (end === text.length && !isEnd) return null
    const length = text[end] === ')' ? end + 1 : end
    if (from === 1) return { length, shown: '' }
    const words = whole(label, allowed)
    const address = target.trim().split(/\s/)[0] ?? ''
    return { length, shown: text[end] === ')' && allowed.isAllowed(address) ? `[${words}](${address})` : words }
  }
  if (!REFERENCE.test(label)) return mark
  const known = label.split(/[,;]/).map(Number).filter(allowed.isSource)
  return { length: close + 1, shown: text.slice(0, from) + known.map((n) => `[${n}]`).join('') }
}

/** Markup that loads, links or runs something is left out; any other `<` is text. */
function judgeTag (text: string, isEnd: boolean, { isAllowed }: Allowed): Judged {
  const inside = /^<[^<>\n]*/.exec(text)![0]
  if (inside.length === text.length && !isEnd) return null
  const length = text[inside.length] === '>' ? inside.length + 1 : inside.length
  if (TAG.test(inside)) return { length, shown: '' }
  if (AUTOLINK.test(inside)) return { length, shown: isAllowed(inside.slice(1)) ? text.slice(0, length) : '' }
  return { length: 1, shown: '<' }
}

function judgeWord (word: string, mayGoOn: boolean, { isAllowed }: Allowed): Judged {
  if (mayGoOn) return null
  const { length } = word
  const found = word.includes(':') || word.includes('.') ? ADDRESS.exec(word) : null
  if (!found) return { length, shown: word }
  const address = withoutEnd(word.slice(found.index), '.,;:?')
  if (isAllowed(/^www\./i.test(address) ? `https://${address}` : address)) return { length, shown: word }
  return { length, shown: word.slice(0, found.index) + word.slice(found.index + address.length) }
}

/** A text that is all there. */
function whole (text: string, allowed: Allowed): string {
  const all = cleaner(allowed)
  return all.push(text) + all.end()
}

/**
 * Whether an address may be linked: http, mail or telephone, and for http a host that stands in one of these texts.
 * What follows `?` or `#` must stand there with it: a model may have been told to write a visitor's words into an
 * address.
 */
export function linksIn (texts: Iterable<string>): (address: string) => boolean {
  const hosts = new Set<string>()
  const addresses = new Set<string>()
  for (const text of texts) {
    for (const [found] of text.matchAll(/https?:\/\/[^\s<>()[\]"'”’]+/gi)) {
      for (const url of [urlOf(found), urlOf(withoutEnd(found, '.,;:?!'))]) {
        if (url) hosts.add(url.host)
        if (url) addresses.add(url.href)
      }
    }
  }
  return (address) => {
    if (/^(?:mailto|tel):/i.test(address)) return !address.includes('?')
    const url = urlOf(address)
    if (!url || !hosts.has(url.host)) return false
    return (!url.search && !url.hash) || addresses.has(url.href)
  }
}

function urlOf (address: string): URL | undefined {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined
}

/** An answer without the numbers of its sources. */
export function withoutNumbers (answer: string): string {
  return answer.replaceAll(/ ?\[\d{1,4}\]/g, '')
}

/** The sources that an answer names, each with the words of it that the sentence before its number rests on. */
export function citationsIn (answer: string, sources: readonly Candidate[]): Citation[] {
  const found = new Map<number, Citation>()
  for (const { 0: reference, 1: digits, index } of answer.matchAll(/\[(\d{1,4})\]/g)) {
    const n = Number(digits)
    const passage = sources[n - 1]
    if (!passage || found.has(n)) continue
    const said =
      sentences(
        answer.slice(0, index).replaceAll(/\[\d{1,4}\]/g, (mark) => ' '.repeat(mark.length)), null
      ).at(-1)?.text ?? reference
    found.set(n, {
      n,
      source: passage.source,
      title: passage.title,
      url: passage.url,
      page: passage.page,
      ...quoteFor(said, passage)
    })
  }
  return [...found.values()].sort((a, b) => a.n - b.n)
}

/** The sentence of a passage that shares most words with what was said. */
function quoteFor (said: string, passage: Candidate): { quote: string, start: number, end: number } {
  const language: Language | null = guessLanguage(words(passage.text, null))
  const meant = asked(said, language, (all) => new Map([...all].map((word) => [word, 1])))
  let best = { quote: '', start: 0, end: 0, share: -1 }
  for (const { text, start, end } of sentences(passage.text, language)) {
    const share = coverage(meant, text)
    if (share > best.share) best = { quote: text, start, end, share }
  }
  const { quote, start, end } = best.share < 0 ? { quote: passage.text, start: 0, end: passage.text.length } : best
  return { quote, start: passage.start + start, end: passage.start + end }
}
