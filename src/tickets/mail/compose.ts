import type { MessageRecord } from '../../../schema/conversations.ts'
import type { TicketMessage, TicketRecord } from '../../../schema/tickets.ts'
import { AUTOMATIC, type Mail } from '../../platform/net/smtp.ts'
import type { Addressing } from './address.ts'
import type { MailWords } from '../../locales/contract.ts'
import { textsIn } from '../../locales/list.ts'

/** Input of a mail about a ticket. `message`: the message to send; null for the mail that opens it. */
export interface Letter {
  ticket: TicketRecord
  message: TicketMessage | null
  side: 'business' | 'requester'
  to: string
  /** The sender's name: the agent's. */
  name: string
  /** The language of those whom it is to; null if unknown. */
  language: string | null
  /** The messages of the conversation, for the mail that opens the ticket. */
  said: readonly MessageRecord[]
}

/** The mail, the same for every attempt. */
export function compose (letter: Letter, ours: Addressing, installation: string): Mail {
  const { ticket, message, side, to, name } = letter
  const words = textsIn(letter.language, 'mail')
  const first = ours.messageId(ticket.id, 0, side)
  return {
    ...letterhead(ours, ticket.id, side, name, installation),
    to,
    subject: `${message ? 'Re: ' : ''}${ticket.subject || words.desk.ticket} [${ticket.id}]`,
    text: `${words.above}\n\n${message ? answerText(message, words) : openingText(letter, words)}\n`,
    messageId: message ? ours.messageId(ticket.id, message.n, side) : first,
    ...(message && { references: first })
  }
}

/** The mail that notifies the author of a message that it is held, in the language of the message. */
export function composeHeld (
  { ticket, message, name, language, to }: Letter & { message: TicketMessage }, ours: Addressing, installation: string
): Mail {
  const { held, desk } = textsIn(language, 'mail')
  return {
    ...letterhead(ours, ticket.id, 'business', name, installation),
    to,
    subject: `Re: ${ticket.subject || desk.ticket} [${ticket.id}]`,
    text: `${held}

${quote(message.text)}
`,
    messageId: ours.messageId(ticket.id, message.n, 'business'),
    references: ours.messageId(ticket.id, 0, 'business')
  }
}

/** Headers of all our mail: reply and bounce addresses, and that it is automatic. */
export function letterhead (
  ours: Addressing, ticket: string, side: 'business' | 'requester', name: string, installation: string
) {
  return {
    from: { name, address: ours.address },
    envelopeFrom: ours.bounceTo(ticket),
    replyTo: ours.replyTo(ticket, side),
    headers: { ...AUTOMATIC, 'X-Agenthall': installation }
  }
}

/** What somebody who wrote is called. */
function calledBy (role: MessageRecord['role'] | TicketMessage['role'], { agent, desk }: MailWords): string {
  return role === 'agent' ? agent : desk[role === 'system' ? 'notice' : role]
}

function answerText ({ role, from, text }: TicketMessage, words: MailWords): string {
  const head = role === 'agent' ? words.agent : from ?? calledBy(role, words)
  return `${head}:\n${text}`
}

function openingText ({ ticket: { requester, description }, said }: Letter, words: MailWords): string {
  const who = [requester?.name, requester?.email && `<${requester.email}>`].filter(Boolean).join(' ')
  const quoted = said
    .filter(({ text }) => text !== '')
    .map(({ role, created_at: at, text }) => `${at.slice(0, 16).replace('T', ' ')} ${calledBy(role, words)}:\n${quote(text)}`)
  return [
    who && words.desk.from.replace('{{who}}', () => who),
    description,
    quoted.length ? `${words.desk.said}\n\n${quoted.join('\n\n')}` : ''
  ]
    .filter(Boolean)
    .join('\n\n')
}

const quote = (text: string) => text.split('\n').map((line) => `> ${line}`).join('\n')
