import { complete } from '../../../schema/common.ts'
import type {
  Citation, ConversationRecord, MessagePreview, MessageRecord, VisitorRecord
} from '../../../schema/conversations.ts'
import { DEFAULTS } from '../../../schema/sqlite/completed.ts'
import type { conversations, messages, visitors } from '../../../schema/sqlite/conversations.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import { randomBytes } from 'node:crypto'

/*
 * Maps records to rows. What people wrote is encrypted with a secret of the conversation (or the visitor): destroying
 * the secret deletes it.
 */

export type ConversationRow = typeof conversations.$inferSelect
export type MessageRow = typeof messages.$inferSelect
export type VisitorRow = typeof visitors.$inferSelect

/** The encrypted part of a message; empty fields, usually most of them, are left out. */
interface Words extends Partial<Pick<MessageRecord, 'suggestions' | 'attachments' | 'error' | 'guarded'>> {
  citations?: Array<KeptCitation | Citation>
  comment?: string
}

/**
 * A citation without names. A quote also in the message's text is stored as its position there and its length; not at
 * all if it is at the citation. A title is stored once, with its address: further citations have its index, and no
 * address. 0 for no address and no page; null in those of older versions.
 */
type KeptCitation = [
  n: number, source: number, title: string | number, url: string | 0 | null, page: number | null, start: number,
  end: number, quote?: string | number, length?: number, checked_at?: string
]

/** Citations as they are stored; however many a model has written, each title is looked up once. */
function keptCitations (citations: readonly Citation[], text: string): KeptCitation[] {
  const places = new Map<string, number>()
  return citations.map((one, at) => {
    const name = JSON.stringify([one.title, one.url])
    const first = places.get(name)
    if (first === undefined) places.set(name, at)
    return keptCitation(one, first, text)
  })
}

/** `first`: the index of an earlier citation that has the same title and address. */
function keptCitation (
  { n, source, title, url, page, start, end, quote, checked_at: checked }: Citation, first: number | undefined,
  text: string
): KeptCitation {
  const named = first === undefined ? [title, url ?? 0] as const : [first, 0] as const
  const kept = [n, source, ...named, page ?? 0, start, end] as const
  const isAtStart = quote === text.slice(start, end)
  const at = isAtStart ? start : text.indexOf(quote)
  // Of what nobody looks at, most of all, not even that is kept.
  if (checked !== null) return [...kept, at < 0 ? quote : at, quote.length, checked]
  if (isAtStart) return [...kept]
  return at < 0 ? [...kept, quote] : [...kept, at, quote.length]
}

/** A citation as used elsewhere; older versions stored it whole. */
function citationOf (
  kept: KeptCitation | Citation, all: ReadonlyArray<KeptCitation | Citation>, text: string
): Citation {
  if (!Array.isArray(kept)) return complete(DEFAULTS.citation, kept)
  const [n, source, said, , page, start, end, quote = start, length = end - start, checked = null] = kept
  const [, , title, url] = typeof said === 'number' ? all[said] as KeptCitation : kept
  return {
    n,
    source,
    title: title as string,
    url: url || null,
    page: page || null,
    start,
    end,
    quote: typeof quote === 'string' ? quote : text.slice(quote, quote + length),
    checked_at: checked
  }
}

/** Separates a text from what follows: no text of a message and no page has it. */
const END = '\0'

/** A conversation as stored; its name elsewhere never changes. */
export function conversationRow (
  { subject, page, ...kept }: ConversationRecord, seal: Seal
): Omit<ConversationRow, 'number' | 'alias' | 'secret' | 'indexed'> {
  const words = [subject.replaceAll(END, ''), ...(page ? [page.url, page.title] : [])]
  return { ...kept, sealed: seal.close(`conversation/${kept.id}`, words.join(END)) }
}

/** A conversation as used elsewhere. Subjects of older versions may contain the separator, and have no page. */
export function conversationOf (
  { number: _number, alias: _alias, secret: _secret, indexed: _indexed, sealed, ...kept }: ConversationRow, seal: Seal
): ConversationRecord {
  const whole = seal.open(`conversation/${kept.id}`, sealed).toString()
  const [subject = '', url = '', title, ...more] = whole.split(END)
  if (title === undefined || more.length > 0) return { ...kept, subject: whole, page: null }
  return { ...kept, subject, page: { url, title } }
}

/** A message as stored. */
export function messageRow (message: MessageRecord, number: number, seal: Seal): MessageRow {
  const { text, citations, suggestions, attachments, error, feedback, guarded, created_at: at, ...kept } = message
  const plain = text.replaceAll(END, '')
  const words: Words = {
    ...(citations.length > 0 && { citations: keptCitations(citations, plain) }),
    ...(suggestions.length > 0 && { suggestions }),
    ...(attachments.length > 0 && { attachments }),
    ...(error && { error }),
    ...(guarded.length > 0 && { guarded }),
    ...(feedback?.comment && { comment: feedback.comment })
  }
  const names = Object.keys(words)
  // Most answers have citations and nothing else.
  const more = names.join() === 'citations' ? words.citations : words
  return {
    ...kept,
    conversation: number,
    score: feedback?.score ?? null,
    created_at: microsOf(at),
    sealed: seal.close(`message/${message.id}`, names.length > 0 ? plain + END + JSON.stringify(more) : plain)
  }
}

/** A message as used elsewhere. */
export function messageOf (
  { score, sealed, created_at: at, conversation: _number, ...kept }: MessageRow, conversation: string, seal: Seal
): MessageRecord {
  const [text = '', more = '{}'] = seal.open(`message/${kept.id}`, sealed).toString().split(END)
  const words = JSON.parse(more) as Words | NonNullable<Words['citations']>
  const { citations = [], suggestions = [], attachments = [], error = null, guarded = [], comment = '' }: Words =
    Array.isArray(words) ? { citations: words } : words
  const feedback = score === null ? null : { score: score as 1 | -1, comment }
  return {
    ...kept,
    conversation,
    text,
    citations: citations.map((one) => citationOf(one, citations, text)),
    suggestions,
    attachments: attachments.map((one) => complete(DEFAULTS.attachment, one)),
    error: error && complete(DEFAULTS.messageError, error),
    guarded: guarded.map((one) => complete(DEFAULTS.guardNote, one)),
    feedback,
    created_at: timestamp(at)
  }
}

/** Characters of a message that a list shows, and those read for them: a long text costs no more. */
const PREVIEWED = 200
const LOOKED_AT = 1000

/** A message as shown in lists: one line, without half a character at its end. */
export function previewOf ({ conversation, seq, role, author, text, attachments }: MessageRecord): MessagePreview {
  const looked = (text || attachments[0]?.name || '').slice(0, LOOKED_AT)
  // Markdown for headings and bold type is not part of what it says.
  const plain = role === 'agent' ? looked.replaceAll(/^#{1,6} |\*\*/gm, '') : looked
  const begins = plain.replaceAll(/\s+/g, ' ').trim()
  return {
    conversation,
    seq,
    role: role as MessagePreview['role'],
    author,
    text: begins.slice(0, PREVIEWED).replace(/[\uD800-\uDBFF]$/, '')
  }
}

/** A visitor as stored. */
export function visitorRow (
  { external_id: externalId, name, email, phone, attributes, consent, time_zone: zone, place, ...kept }: VisitorRecord,
  seal: Seal
): Omit<VisitorRow, 'number' | 'subject' | 'secret' | 'words'> {
  const about: About = {
    external_id: externalId, name, email, phone, attributes, consent, time_zone: zone, place
  }
  return { ...kept, sealed: seal.close(`visitor/${kept.id}`, JSON.stringify(about)) }
}

/** A visitor as used elsewhere. */
export function visitorOf (
  { number: _number, subject: _subject, secret: _secret, words: _words, sealed, ...kept }: VisitorRow, seal: Seal
): VisitorRecord {
  const { consent = null, ...about } = JSON.parse(seal.open(`visitor/${kept.id}`, sealed).toString()) as Partial<About>
  return { ...kept, ...complete(DEFAULTS.about, about), consent: consent && complete(DEFAULTS.consent, consent) }
}

type About = typeof DEFAULTS.about

/** `2026-11-20T15:04:05.123456Z` as microseconds since 1970. */
function microsOf (at: string): number {
  return Date.parse(at.slice(0, 23) + 'Z') * 1000 + Number(at.slice(23, 26))
}

/** A new identifier: a prefix and 128 random bits. */
export function newId (prefix: 'conv' | 'msg' | 'vis'): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`
}
