import type { Smtp } from '../../platform/net/smtp.ts'
import type { Addressing } from './address.ts'
import { letterhead } from './compose.ts'
import { textsIn } from '../../locales/list.ts'
import type { Work } from '../../platform/storage/work.ts'

/** A mail that nobody asked for. `ticket`: the one that an answer opens; `n`: the how manieth under it. */
interface UnaskedLetter {
  ticket: string
  n: number
  to: string
  /** What the sender calls itself: the agent's name. */
  name: string
  subject: string
  text: string
  /** What is spoken in the conversation. */
  language: string | null
}

/** Mail that an agent sends of its own accord. Whoever answers it opens a ticket about the conversation. */
export interface Unasked {
  /**
   * The ticket that an answer will open, the same for each mail about a conversation; undefined where this address had
   * an automatic mail today. Runs inside a transaction, and notes the mail.
   */
  reserve (conversation: string, to: string): Work<string | undefined>
  /** Sends one, with the same Message-ID however often. Throws a MailError. */
  send (letter: UnaskedLetter, signal: AbortSignal): Promise<{ externalId: string }>
}

/** Opens it on the mail server. `reserve`: see Unasked. */
export function unaskedMail ({ smtp, ours, installation, reserve }: {
  smtp: Smtp, ours: () => Addressing, installation: () => string, reserve: Unasked['reserve']
}): Unasked {
  return {
    reserve,
    async send ({ ticket, n, to, name, subject, text, language }, signal) {
      const { above, unasked } = textsIn(language, 'mail')
      const messageId = ours().messageId(ticket, n, 'requester')
      await smtp.send(
        {
          ...letterhead(ours(), ticket, 'requester', name, installation()),
          to,
          subject,
          text: `${above}\n\n${text}\n\n-- \n${unasked.replace('{{name}}', () => name)}\n`,
          messageId
        },
        signal
      )
      return { externalId: messageId }
    }
  }
}
