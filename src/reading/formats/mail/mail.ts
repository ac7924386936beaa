import type { Document } from '../../document.ts'
import { clean, Draft } from '../../draft.ts'
import type { Hints } from '../../contract.ts'
import { ExtractError, type ExtractErrorCode } from '../../error.ts'
import type { Node } from '../markup/dom.ts'
import { addHtml, parse } from '../markup/html.ts'
import { removeHidden } from '../markup/hidden.ts'

/** A message as its file keeps it. */
interface Mail { subject: string | null, text: string | null, html: string | null, attachments: Attachment[] }
interface Attachment { name: string, contentType: string, bytes: Uint8Array, isShownInside: boolean }

/** Reads what is attached as it reads any file. */
export type ReadOther = (bytes: Uint8Array, hints: Hints) => Promise<Document>

const MOST_ATTACHMENTS = 100
/** Reasons for which an attachment is passed over: pictures, cards and the like belong to most messages. */
const PASSED_OVER = new Set<ExtractErrorCode>([
  'unsupported_format', 'no_text', 'unknown_encoding', 'encrypted', 'damaged', 'unknown_letters', 'unsafe'
])
/** The heading above quoted history, so that its passages are not taken for what is said now. */
const HISTORY = 'Earlier messages'

/**
 * A message: what it says, then what it quotes of earlier ones under a separate heading, then what is attached. Its
 * headers are left out but for the subject. Throws `no_text`, `too_large` or what the reader of an attachment throws.
 */
export async function readMail (
  format: 'eml' | 'msg', { subject, text, html, attachments }: Mail, readOther: ReadOther
): Promise<Document> {
  const draft = new Draft(format)
  draft.title = subject
  if (subject) draft.heading(1, subject)
  if (html?.trim()) addPage(draft, html)
  else addText(draft, text ?? '')
  draft.leave(2)
  const readable = attachments.filter(({ isShownInside }) => !isShownInside)
  if (readable.length > MOST_ATTACHMENTS) {
    throw new ExtractError(
      'too_large',
      `The message has more than ${MOST_ATTACHMENTS} attachments. Save them and upload them separately.`
    )
  }
  for (const { name, contentType, bytes } of readable) {
    const read = await readOther(bytes, { name, contentType }).catch((error) => {
      if (error instanceof ExtractError && PASSED_OVER.has(error.code)) return undefined
      throw error
    })
    if (!read) continue
    draft.leave(2)
    draft.heading(2, name)
    draft.include(read)
  }
  return draft.finish('The message holds no text, only pictures.')
}

/** Lines that begin what is quoted: a line over it, the head of a message as it is forwarded, or marks before lines. */
const RULE = /^\s*(?:-{2,}|_{5,}|\*{5,})\s*(?:\p{L}[\p{L}\s]*-{2,}\s*)?$/u
const HEAD = /^\s*\*?(?:From|Von|De|Da|Van|Från|Fra|Od|От|发件人|差出人)\*?\s?[:：]\s?.*\S/u
const HEAD_GOES_ON =
  /^\s*\*?(?:Sent|Date|To|Gesendet|Datum|An|Envoyé|À|Enviado|Fecha|Para|Inviato|Data|A|Verzonden|Aan|Skickat|Till|Sendt|Til|Wysłano|Do|Отправлено|Кому|发送时间|日時)\*?\s?[:：]/u
const WROTE =
  /^.{0,200}(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napisał\(?a?\)?|пишет|написал\(?а?\)?|写道|のメール)[^.!?]{0,120}[:：]\s*$/u

function addText (draft: Draft, text: string) {
  const lines = clean(text).split('\n')
  const from = startOfHistory(lines)
  const said = lines.slice(0, from)
  addParagraphs(draft, said)
  const quoted = lines.slice(from).map((line) => line.replace(/^(?:\s?>)+ ?/, ''))
  if (quoted.some((line) => line.trim())) {
    draft.heading(2, HISTORY)
    addParagraphs(draft, quoted)
  }
}

function addParagraphs (draft: Draft, lines: string[]) {
  for (const paragraph of lines.join('\n').split(/\n(?:[ \t]*\n)+/)) draft.add(paragraph)
}

/** The line with which earlier messages begin and go on to the end; answers between quoted lines are all said now. */
function startOfHistory (lines: string[]): number {
  const isQuoted = (line: string) => /^\s?>/.test(line)
  const lastSaid = lines.findLastIndex((line) => line.trim() && !isQuoted(line))
  const isQuotedBelow = lines.slice(lastSaid + 1).some(isQuoted)
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1] ?? ''
    if (HEAD.test(line) && lines.slice(at + 1, at + 4).some((next) => HEAD_GOES_ON.test(next))) {
      return RULE.test(before) ? at - 1 : at
    }
    if (at < lastSaid - 1 || !isQuotedBelow) continue
    if (WROTE.test(line) || WROTE.test(`${line} ${lines[at + 1] ?? ''}`) || at > lastSaid) return at
  }
  return lines.length
}

const QUOTES = /\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote|zmail_extra)\b/

function addPage (draft: Draft, html: string) {
  const page = parse(html)
  draft.hide(removeHidden(page))
  const quoted = quotesIn(page)
  for (const quote of quoted) quote.remove()
  addHtml(draft, page)
  if (quoted.length === 0) return
  draft.heading(2, HISTORY)
  for (const quote of quoted) addHtml(draft, quote)
}

/**
 * The outermost elements that hold what is quoted, in order; in Outlook's messages the head, and all that follows it.
 */
function quotesIn (page: Node): Node[] {
  const quotes = new Set<Node>()
  const isInside = (node: Node) => {
    for (let above = node.parentNode; above; above = above.parentNode) if (quotes.has(above)) return true
    return false
  }
  for (const element of elementsIn(page)) {
    if (quotes.has(element) || isInside(element)) continue
    const isQuote = element.localName === 'blockquote' || QUOTES.test(element.getAttribute('class') ?? '')
    const isHead =
      element.localName === 'div' &&
      (/^(?:divRplyFwdMsg|appendonsend)$/.test(element.getAttribute('id') ?? '') || isOutlookRule(element))
    if (isQuote || isHead) quotes.add(element)
    if (isHead) for (let next = element.nextSibling; next; next = next.nextSibling) quotes.add(next)
  }
  return [...quotes]
}

/** All elements of a page, in order; a page may nest deeper than the stack is high. */
function * elementsIn (page: Node): Generator<Node> {
  const waiting = [page]
  for (let element = waiting.pop(); element; element = waiting.pop()) {
    yield element
    waiting.push(...[...element.children].reverse())
  }
}

/** Outlook draws a line over the message that it answers. */
function isOutlookRule (element: Node): boolean {
  return /border-top:\s*solid #(?:E1E1E1|B5C4DF)/i.test(element.getAttribute('style') ?? '')
}
