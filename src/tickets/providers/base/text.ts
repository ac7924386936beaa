import type { TicketMessage } from '../../../../schema/tickets.ts'
import type { Outgoing } from './contract.ts'

/** The marker in every text that we write elsewhere, so that we recognise it: `[agenthall-…]`. */
export const markOf = (key: string) => `[agenthall-${key.replaceAll(/[^\w-]/g, '-')}]`

/** Whether a text is ours. */
export const isOurs = (text: string) => /\[agenthall-[\w-]+\]/.test(text)

/** The text of a ticket elsewhere. */
export function descriptionOf ({ ticket: { requester, description }, said }: Outgoing, key: string): string {
  const who = [requester?.name, requester?.email && `<${requester.email}>`].filter(Boolean).join(' ')
  return [description, who && `From: ${who}`, said && `What was said:\n\n${said}`, markOf(key)]
    .filter(Boolean)
    .join('\n\n')
}

/** The text of a comment elsewhere. */
export function commentOf ({ from, role, text }: TicketMessage, key: string): string {
  return `${role === 'agent' ? 'Agent (AI)' : from ?? 'Visitor'}:\n\n${text}\n\n${markOf(key)}`
}

/** A text as HTML that shows it as it is. */
export function htmlOf (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>')
}
