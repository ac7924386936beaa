import type { MessageRecord } from '../../../schema/conversations.ts'
import type { TicketMessage, TicketRecord } from '../../../schema/tickets.ts'
import { AUTOMATIC, type Mail } from '../../platform/net/smtp.ts'
import type { Addressing } from './address.ts'
import type { MailWords } from '../../locales/contract.ts'
import { textsIn } from '../../locales/list.ts'

/** What a mail about a ticket is made of. `message`: what was written to it; null for the mail that opens it. */
export interface Letter {
  ticket: TicketRecord
  message: TicketMessage | null
  side: 'business' | 'requester'
  to: string
  /** What the sender calls itself: the agent's name. */
  name: string
  /** What is spoken in the conversation. */
  language: string | null
  /** What was said in the conversation, for the mail that opens the ticket. */
  said: readonly MessageRecord[]
}

const ROLES: Record<string, string> = {
  visitor: 'Visitor', agent: textsIn('en', 'mail').agent, person: 'Person', system: 'Notice', unknown: 'Unknown sender'
}

/** The mail, the same for every attempt. */
export function compose (letter: Letter, ours: Addressing, installation: string): Mail {
  const { ticket, message, side, to, name } = letter
  const words = textsIn(side === 'requester' ? letter.language : null, 'mail')
  const first = ours.messageId(ticket.id, 0, side)
  return {
    ...letterhead(ours, ticket.id, side, name, installation),
    to,
    subject: `${message ? 'Re: ' : ''}${ticket.subject || 'Ticket'} [${ticket.id}]`,
    text: `${words.above}\n\n${message ? answerText(message, words) : openingText(letter)}\n`,
    messageId: message ? ours.messageId(ticket.id, message.n, side) : first,
    ...(message && { references: first })
  }
}

/** The mail that tells who has written a message that it is held, in the language that they wrote it in. */
export function composeHeld (
  { ticket, message, name, language, to }: Letter & { message: TicketMessage }, ours: Addressing, installation: string
): Mail {
  return {
    ...letterhead(ours, ticket.id, 'business', name, installation),
    to,
    subject: `Re: ${ticket.subject || 'Ticket'} [${ticket.id}]`,
    text: `${textsIn(language, 'mail').held}

${quote(message.text)}
`,
    messageId: ours.messageId(ticket.id, message.n, 'business'),
    references: ours.messageId(ticket.id, 0, 'business')
  }
}

/** What all our mail bears: where answers and complaints go, and that a program sent it. */
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

function answerText ({ role, from, text }: TicketMessage, { agent }: MailWords): string {
  const head = role === 'agent' ? agent : from ?? ROLES[role]
  return `${head}:\n${text}`
}

function openingText ({ ticket: { requester, description }, said }: Letter): string {
  const who = [requester?.name, requester?.email && `<${requester.email}>`].filter(Boolean).join(' ')
  const quoted = said
    .filter(({ text }) => text !== '')
    .map(({ role, created_at: at, text }) => `${at.slice(0, 16).replace('T', ' ')} ${ROLES[role]}:\n${quote(text)}`)
  return [who && `From: ${who}`, description, quoted.length ? `What was said:\n\n${quoted.join('\n\n')}` : '']
    .filter(Boolean)
    .join('\n\n')
}

const quote = (text: string) => text.split('\n').map((line) => `> ${line}`).join('\n')
