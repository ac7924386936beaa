import type { Citation } from '../../../schema/conversations.ts'
import { addressAt, LONGEST_LINK, runsIn, safeUrl } from '../../platform/links.ts'
import { coverage, saidIn } from '../../search/confidence.ts'
import { sentences } from '../../search/sense/sentences.ts'
import { guessLanguage } from '../../search/words/guess.ts'
import type { Language } from '../../search/words/languages.ts'
import { words } from '../../search/words/words.ts'
import type { Candidate } from './quoting/extract.ts'
import { isSourceWord, LONGEST_REFERENCE, type References, referencesIn } from './references.ts'
import { sentenceBefore } from './rests.ts'
import { withoutNotice } from './small-talk/small-talk.ts'
import type { AgentRecord } from '../../../schema/agents.ts'
import { withoutEnd } from '../../platform/text.ts'
import { emptied, wrapAt, wrapAtEnd } from './wrapped.ts'

/**
 * Removes from an answer, piece by piece as it arrives, what it may not say. However it is split, the result is the
 * same.
 */
export interface Cleaner {
  /** The next piece of the model's text; returns what can be shown by now. */
  push (piece: string): string
  /** End of input; returns the rest. */
  end (): string
}

const TAG =
  /^<\/?(?:a|img|image|picture|source|script|iframe|frame|style|object|embed|form|input|button|textarea|link|meta|base|svg|math|video|audio|track)\b/i
const AUTOLINK = /^<[a-z][a-z0-9+.-]*:/i
/** A run of characters that may start an address: all visible ASCII except `<>()[]"'!`. */
const WORD = /^[#-&*-;=?-Z\\^-~]{1,2048}/
/** A run of characters without a meaning here. */
const PLAIN = /^[^ \t!-~【［〔]+/
/** Brackets of other kinds in which models put source numbers. */
const CLOSES: Record<string, string> = { '【': '】', '［': '］', '〔': '〕', '(': ')' }
/** What a parenthesis begins with, and whether it is complete. */
const LEAD = /^\( {0,3}([\p{L}\p{M}]{0,16})(.?)/su
/** What begins an address, wherever browsers or other programs would create a link. */
const ADDRESS = /https?:\/\/|www\.|\b(?:javascript|data|vbscript|file|ftp):/i
/** No beginning of an address is longer. */
const BEGINNING = 16
/** An address and the text attached to it. */
const RUN = /^[^\s<>"'`[\]{}|\\^]{1,2048}/
const LABEL = /^[^\][\n]{0,2048}/
const TARGET = /^\([^()\n]{0,2048}/
const INSIDE = /^<[^<>\n]{0,2048}/
const SPACE = /^[ \t]{1,2048}/

/**
 * A stretch of text that has been judged: its length, and what is shown of it. Null: more text is needed.
 */
type Judged = { length: number, shown: string } | null

/** What an answer may name. */
interface Allowed {
  /** Whether a number is a source. `said`: the text before it on its line. */
  isSource: (n: number, said: string) => boolean
  /** Whether an address may be linked. */
  isAllowed: (address: string) => boolean
}

/** The same, at an answer's position. */
interface Judging { isSource: (n: number) => boolean, isAllowed: Allowed['isAllowed'] }

/**
 * See Cleaner. Nothing it looks for spans lines or is longer than the longest address, so no more is held back.
 */
export function cleaner (allowed: Allowed): Cleaner {
  let held = ''
  let line = ''
  const joints = newJoints()
  const known = { ...allowed, isSource: (n: number) => allowed.isSource(n, line.slice(-LINE)) }

  function take (isEnd: boolean): string {
    // Joined at the end: as a sum of its words it would retain each of them as long as itself.
    const shown: string[] = []
    let at = 0
    while (at < held.length) {
      const judged = judge(held.slice(at), isEnd, known)
      if (!judged) break
      const next = joints.between(judged.shown, held.slice(at, at + judged.length) !== judged.shown)
      shown.push(next)
      line = lineWith(line, next)
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

/** What is remembered of a line, to find a number's sentence. */
const LINE = 1000

function lineWith (line: string, more: string): string {
  const start = more.lastIndexOf('\n') + 1
  if (start > 0) return more.slice(start).slice(-LINE)
  return line.length + more.length > 2 * LINE ? (line + more).slice(-LINE) : line + more
}

/** Keeps the text around something removed from joining into an address or a link. */
function newJoints () {
  let last = ''
  let isCut = false
  let isAddress = false
  return {
    /** Outputs the next text, with a space before it if it would join text that it did not follow. */
    between (shown: string, isChanged: boolean): string {
      isCut ||= isChanged
      if (shown === '') return ''
      const goesOn = last !== '' && !/^[\s[]/.test(shown)
      const risks = isAddress || ADDRESS.test(last + shown) || (last.endsWith(']') && shown.startsWith('('))
      const isApart = isCut && goesOn && risks && !/^[.,:;!?]+$/.test(shown)
      if (isApart || !goesOn) [last, isAddress] = ['', false]
      const word = shown.slice(-BEGINNING).split(/\s/).at(-1)!
      const isWhole = !/\s/.test(shown)
      if (isApart || !goesOn || !isWhole) isCut = isChanged && isWhole
      isAddress = isWhole && (isAddress || (!shown.startsWith('[') && ADDRESS.test(last + shown)))
      last = isWhole ? (last + word).slice(-BEGINNING) : word
      return isApart ? ` ${shown}` : shown
    }
  }
}

function judge (text: string, isEnd: boolean, allowed: Judging): Judged {
  const first = text[0] ?? ''
  if (first === ' ' || first === '\t') return judgeSpace(text, isEnd, allowed)
  const wrapped = judgeWrapped(text, isEnd, allowed)
  if (wrapped !== undefined) return wrapped
  if (first === '!') {
    if (text.length === 1 && !isEnd) return null
    return text[1] === '[' ? judgeBracket(text, 1, isEnd, allowed) : { length: 1, shown: '!' }
  }
  if (first === '[') return judgeBracket(text, 0, isEnd, allowed)
  if (first in CLOSES) return judgeReference(text, isEnd, allowed)
  if (first === ']') return judgeClosing(text, isEnd, allowed)
  if (first === '<') return judgeTag(text, isEnd, allowed)
  const word = WORD.exec(text)?.[0]
  if (word !== undefined) return judgeWord(text, word, isEnd, allowed)
  const shown = PLAIN.exec(text)?.[0] ?? first
  return { length: shown.length, shown }
}

/** Whether a match at the end of a text may continue. */
function mayGoOn (found: number, text: string, isEnd: boolean): boolean {
  return found === text.length && !isEnd && found <= LONGEST_LINK
}

/** Removed with the number after it. */
function judgeSpace (text: string, isEnd: boolean, allowed: Judging): Judged {
  const { length } = SPACE.exec(text)![0]
  if (length === text.length && !isEnd && length < LONGEST_LINK) return null
  const space = { length, shown: text.slice(0, length) }
  const behind = text[length] ?? ''
  if (behind !== '[' && !(behind in CLOSES) && wrapAt(behind) === '') return space
  const next = judge(text.slice(length), isEnd, allowed)
  if (!next) return null
  return next.shown === '' && next.length > 1 ? { length: length + next.length, shown: '' } : space
}

/** What begins with marks or quotes around a number; they go with it where it does. Undefined: it does not. */
function judgeWrapped (text: string, isEnd: boolean, allowed: Judging): Judged | undefined {
  const wrap = wrapAt(text)
  if (wrap === '') return undefined
  const inside = text[wrap.length]
  if (inside === undefined && !isEnd) return null
  if (inside === undefined || inside === '(' || (inside !== '[' && !(inside in CLOSES))) return undefined
  const next = judge(text.slice(wrap.length), isEnd, allowed)
  if (!next) return null
  if (next.shown !== '') return { length: wrap.length, shown: wrap }
  const all = emptied(wrap, text.slice(wrap.length + next.length), isEnd)
  return all && { length: wrap.length + next.length + all.length, shown: all.isWhole ? '' : wrap }
}

/**
 * An image (from `!`), a link, or a reference. Otherwise the bracket alone; its content is judged afterwards.
 */
function judgeBracket (text: string, from: 0 | 1, isEnd: boolean, allowed: Judging): Judged {
  const mark = { length: from + 1, shown: text.slice(0, from + 1) }
  const label = LABEL.exec(text.slice(from + 1))![0]
  const close = from + 1 + label.length
  if (close === text.length) return isEnd || label.length === LONGEST_LINK ? mark : null
  if (text[close] !== ']') return mark
  if (close + 1 === text.length && !isEnd) return null
  if (text[close + 1] === '(') {
    const target = targetAt(text, close + 1, isEnd, allowed)
    if (!target || from === 1) return target && { length: target.end, shown: '' }
    const words = whole(label, allowed)
    return { length: target.end, shown: target.address === undefined ? words : `[${words}](${target.address})` }
  }
  const found = referencesIn(label)
  return found ? { length: close + 1, shown: text.slice(0, from) + shownOf(found, allowed) } : mark
}

/** The existing sources, in our notation. */
function shownOf ({ numbers }: References, { isSource }: Judging): string {
  return [...new Set(numbers)].filter(isSource).map((n) => `[${n}]`).join('')
}

/** Source numbers in other brackets than ours; in parentheses only if a word marks them as such. */
function judgeReference (text: string, isEnd: boolean, allowed: Judging): Judged {
  const [first = ''] = text
  const mark = { length: 1, shown: first }
  let run = 1
  while (text[run] === first) run++
  // Only the last of several can hold a number.
  if (run > 1) return { length: run - 1, shown: text.slice(0, run - 1) }
  if (first === '(') {
    const [, word = '', next = ''] = LEAD.exec(text)!
    if (next === '' ? isEnd : !isSourceWord(word)) return mark
  }
  const inside = text.slice(1, LONGEST_REFERENCE + 2)
  const end = inside.indexOf(CLOSES[first]!)
  if (end < 0) return isEnd || inside.length > LONGEST_REFERENCE || inside.includes('\n') ? mark : null
  const found = referencesIn(inside.slice(0, end))
  return found && (first !== '(' || found.isNamed) ? { length: end + 2, shown: shownOf(found, allowed) } : mark
}

/** A closing bracket alone here may close a link in other readers, as after `\]`. */
function judgeClosing (text: string, isEnd: boolean, allowed: Judging): Judged {
  if (text.length === 1 && !isEnd) return null
  if (text[1] !== '(') return { length: 1, shown: ']' }
  const target = targetAt(text, 1, isEnd, allowed)
  return target && { length: target.end, shown: target.address === undefined ? ']' : `](${target.address})` }
}

/** The target of a link with its bracket at a position, if allowed, and its end; null: more is needed. */
function targetAt (
  text: string, at: number, isEnd: boolean, { isAllowed }: Judging
): { end: number, address: string | undefined } | null {
  const target = TARGET.exec(text.slice(at))![0]
  const end = at + target.length
  if (end === text.length && !isEnd && target.length <= LONGEST_LINK) return null
  if (text[end] !== ')') return { end, address: undefined }
  const address = target.slice(1).trim().split(/\s/)[0] ?? ''
  return { end: end + 1, address: isAllowed(address) ? address : undefined }
}

/** Markup that loads, links or runs something is removed; any other `<` is text. */
function judgeTag (text: string, isEnd: boolean, { isAllowed }: Judging): Judged {
  const inside = INSIDE.exec(text)![0]
  if (mayGoOn(inside.length, text, isEnd)) return null
  const length = text[inside.length] === '>' ? inside.length + 1 : inside.length
  if (TAG.test(inside)) return { length, shown: '' }
  if (AUTOLINK.test(inside)) return { length, shown: isAllowed(inside.slice(1)) ? text.slice(0, length) : '' }
  return { length: 1, shown: '<' }
}

function judgeWord (text: string, word: string, isEnd: boolean, allowed: Judging): Judged {
  if (word.length === text.length && !isEnd && word.length < LONGEST_LINK) return null
  const found = word.includes(':') || word.includes('.') ? ADDRESS.exec(word) : null
  if (found?.index === 0) return judgeAddress(text, isEnd, allowed)
  const behind = text[word.length] ?? ''
  const own = behind === '[' || behind in CLOSES ? word.length - wrapAtEnd(word) : word.length
  const length = found?.index ?? (word.length < LONGEST_LINK ? own || word.length : LONGEST_LINK - BEGINNING)
  return { length, shown: word.slice(0, length) }
}

/**
 * An address is judged with all text attached to it, as renderers take it. If that is in a language without a space
 * after it, one is added.
 */
function judgeAddress (text: string, isEnd: boolean, { isAllowed }: Judging): Judged {
  const run = RUN.exec(text)![0]
  if (run.length === text.length && !isEnd && run.length < LONGEST_LINK) return null
  const scheme = /^www\./i.test(run) ? 'https://' : ''
  const address = (addressAt(scheme + run, 0) || scheme + run).slice(scheme.length)
  if (isAllowed(scheme + address)) return { length: address.length, shown: address }
  const ascii = /^[!-~]+/.exec(run)![0]
  const behind = run.slice(ascii.length)
  const isNamed = behind !== '' && !/[!-~]/.test(behind) && isAllowed(addressAt(scheme + ascii, 0))
  return isNamed ? { length: run.length, shown: `${ascii} ${behind}` } : { length: address.length, shown: '' }
}

/** A complete text as it is shown. */
export function whole (text: string, allowed: Judging): string {
  const all = cleaner(allowed)
  return all.push(text) + all.end()
}

/**
 * An earlier answer as a model reads it: without the notice, and without numbers, which cited sources of other
 * questions.
 */
export function asRemembered (answer: string): string {
  return withoutNotice(answer).replaceAll(/ ?\[\d{1,4}\]/g, '')
}

/** The sources cited by an answer, each with the words of it that support the sentence before its number. */
export function citationsIn (answer: string, sources: readonly Candidate[]): Citation[] {
  const found = new Map<number, Citation>()
  for (const { 0: reference, 1: digits, index } of answer.matchAll(/\[(\d{1,4})\]/g)) {
    const n = Number(digits)
    const passage = sources[n - 1]
    if (!passage || found.has(n)) continue
    const said = sentenceBefore(answer.slice(0, index)) || reference
    found.set(n, {
      n,
      source: passage.source,
      title: passage.title,
      url: passage.url,
      page: passage.page,
      ...quoteFor(said, passage),
      checked_at: passage.checked_at ?? null
    })
  }
  return [...found.values()].sort((a, b) => a.n - b.n)
}

/** The sentence of a passage sharing most words with a text. */
function quoteFor (said: string, passage: Candidate): { quote: string, start: number, end: number } {
  const language: Language | null = guessLanguage(words(passage.text, null))
  const meant = saidIn(said, language)
  let best = { quote: '', start: 0, end: 0, share: -1 }
  for (const { text, start, end } of sentences(passage.text, language)) {
    const share = coverage(meant, text)
    if (share > best.share) best = { quote: text, start, end, share }
  }
  const { quote, start, end } = best.share < 0 ? { quote: passage.text, start: 0, end: passage.text.length } : best
  return { quote, start: passage.start + start, end: passage.start + end }
}

/** Who names an address: the agent's owner, in its settings, or a source, possibly a stranger's page. */
interface Naming { settings: readonly string[], sources: readonly string[] }

/** What texts name; `hosts`: those whose every page may be linked. */
interface Named { hosts: Set<string>, pages: Set<string>, whole: Set<string>, mail: Set<string>, numbers: Set<string> }

/** Most addresses checked per text. */
const MOST_ADDRESSES_CHECKED = 1000
/** Punctuation a sentence may have after an address. */
const MARKS = '.,:;!?*_~)'

/**
 * Whether an address may be linked, as `new URL` reads it: a web address on a host that the owner names; on one that
 * only a source names, a page that a source names, or none: a poisoned source must not collect what visitors write.
 * What follows `?` or `#` must match too. A mailbox or a telephone number must be listed. The texts are read only if
 * there is an address to check, as most answers have none.
 */
export function linksIn (naming: Naming): (address: string) => boolean {
  let known: Named | undefined
  return (address) => {
    if (address.length > LONGEST_LINK || safeUrl(address) === undefined) return false
    known ??= namedIn(naming)
    const { protocol, host, pathname, search, hash, href } = new URL(address)
    if (protocol === 'mailto:') return known.mail.has(address.slice('mailto:'.length).toLowerCase())
    if (protocol === 'tel:') return /^[+\d().-]+$/.test(pathname) && known.numbers.has(digitsOf(pathname))
    if (search || hash) return known.whole.has(href)
    return known.hosts.has(host) || known.pages.has(host + pathname)
  }
}

/** Texts by the agent's owner. */
export function settingsOf (
  { systemPrompt, appearance, behavior: { email, guidelines, escalationPrompt }, translations }: AgentRecord
): string[] {
  const greetings = Object.values(translations).flatMap(({ welcomeMessage }) => welcomeMessage ?? [])
  return [
    systemPrompt, email ?? '', escalationPrompt, appearance.welcomeMessage, ...greetings, ...guidelines.dos, ...guidelines.donts
  ]
}

function namedIn ({ settings, sources }: Naming): Named {
  const named: Named = { hosts: new Set(), pages: new Set(), whole: new Set(), mail: new Set(), numbers: new Set() }
  for (const text of [...settings, ...sources]) {
    for (const url of urlsIn(text)) {
      named.whole.add(url.href)
      named.pages.add(url.host + url.pathname).add(`${url.host}/`)
    }
    for (const [word, host] of text.matchAll(/[^\s@<>()[\]"',;:]+(@[^\s@<>()[\]"',;:]+)?/g)) {
      if (host !== undefined) named.mail.add(withoutEnd(word, MARKS).toLowerCase())
    }
    // From abroad, +49 (0)30 1234 is dialled without the (0).
    for (const [number] of text.matchAll(/\d[\d ()/.-]*/g)) {
      named.numbers.add(digitsOf(number)).add(digitsOf(number.replace('(0)', '')))
    }
  }
  for (const text of settings) for (const { host } of urlsIn(text)) named.hosts.add(host)
  return named
}

/** The web addresses in a text, each also cut after its ASCII part, and before brackets or quotes. */
function urlsIn (text: string): URL[] {
  return runsIn(text).slice(0, MOST_ADDRESSES_CHECKED).flatMap((run) => {
    const forms = [addressAt(run, 0), ...[/^[!-~]+/, /^[^()”’»]+/].map((part) => withoutEnd(part.exec(run)![0], MARKS))]
    return [...new Set(forms)].flatMap((form) => safeUrl(form) === undefined ? [] : [new URL(form)])
  })
}

function digitsOf (number: string): string {
  return number.replaceAll(/\D/g, '')
}
