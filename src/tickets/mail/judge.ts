import type { MailReading } from '../../reading/mail.ts'
import type { Addressing } from './address.ts'
import { isAbove } from './words.ts'

/** What is done with an incoming mail. */
export type Verdict =
  | { kind: 'dropped', why: Dropped }
  /** One of our mails bounced; `detail` in the words of the system that could not deliver it. */
  | { kind: 'bounced', ticket: string, detail: string }
  | { kind: 'message', ticket: string, side: 'business' | 'requester', from: string, text: string }

/** Why a mail is not taken in. */
export type Dropped = 'ours' | 'automatic' | 'report' | 'bulk' | 'list' | 'not_addressed' | 'no_sender' | 'empty'

/** Maximum characters of one message. */
const LONGEST_MAIL = 20_000
/**
 * Classifies a mail. Only the codes in our own addresses are trusted, never a subject; automatic mail is dropped, so
 * that auto-reply loops stop. Pure.
 */
export function judge (mail: MailReading, ours: Pick<Addressing, 'read' | 'readId'>): Verdict {
  const { marks, report } = mail
  if (report || marks['content-type']?.startsWith('multipart/report')) return reported(mail, ours)
  const why = programs(mail, ours)
  if (why) return { kind: 'dropped', why }
  const addressed = mail.to.map((address) => ours.read(address)).find((known) => known !== undefined)
  if (!addressed || addressed.side === 'bounce') return { kind: 'dropped', why: 'not_addressed' }
  if (!mail.from) return { kind: 'dropped', why: 'no_sender' }
  const text = said(mail)
  if (text === '') return { kind: 'dropped', why: 'empty' }
  return { kind: 'message', ticket: addressed.ticket, side: addressed.side, from: mail.from, text }
}

/** Why a mail counts as automatic; undefined if a person may have written it. */
function programs ({ marks, messageId }: MailReading, ours: Pick<Addressing, 'readId'>): Dropped | undefined {
  if (marks['x-agenthall'] !== undefined || (messageId && ours.readId(messageId))) return 'ours'
  if (/^<\s*>$/.test(marks['return-path'] ?? '')) return 'report'
  if ((marks['auto-submitted'] ?? 'no').split(';')[0]?.trim() !== 'no') return 'automatic'
  if (marks['x-autoreply'] !== undefined || marks['x-autorespond'] !== undefined) return 'automatic'
  if (/^(bulk|list|junk|auto_reply)\b/.test(marks['precedence'] ?? '')) return 'bulk'
  return marks['list-id'] === undefined ? undefined : 'list'
}

/** A delivery report fails its ticket if the failure is permanent and the ticket can be identified. */
function reported ({ to, references, report }: MailReading, ours: Pick<Addressing, 'read' | 'readId'>): Verdict {
  const known = to.map((address) => ours.read(address)).find((one) => one?.side === 'bounce') ??
    references.map((id) => ours.readId(id)).find((one) => one !== undefined)
  if (!known || report?.action !== 'failed') return { kind: 'dropped', why: 'report' }
  return { kind: 'bounced', ticket: known.ticket, detail: report.detail || report.status }
}

const QUOTE_HEAD =
  /^(>+ ?)?(on\b.{0,200}\bwrote:|am\b.{0,200}\bschrieb\b.{0,200}:|le\b.{0,200}\ba écrit ?:|el\b.{0,200}\bescribió:|-{2,} ?(original message|ursprüngliche nachricht|forwarded message) ?-{2,})\s*$/i

/**
 * The new text: without quotes of our mail or older ones, and with the names of attachments, which are not taken in.
 */
function said ({ text, attachments }: MailReading): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const end = lines.findIndex((line) => isAbove(line) || QUOTE_HEAD.test(line.trim()))
  const written = end < 0 ? lines : lines.slice(0, end)
  while (written.length && /^\s*(>.*)?$/.test(written.at(-1) ?? '')) written.pop()
  const files = attachments.map((name) => `[${name}: files are not accepted]`)
  return [written.join('\n').trim(), ...files].filter(Boolean).join('\n').slice(0, LONGEST_MAIL)
}
