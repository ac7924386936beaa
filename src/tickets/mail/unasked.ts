import type { Smtp } from '../../platform/net/smtp.ts'
import type { Addressing } from './address.ts'
import { letterhead } from './compose.ts'
import { textsIn } from '../../locales/list.ts'
import type { Work } from '../../platform/storage/work.ts'

/** An unsolicited mail. `ticket`: the one that an answer opens; `n`: its index within the ticket. */
interface UnaskedLetter {
  ticket: string
  n: number
  to: string
  /** The sender's name: the agent's. */
  name: string
  subject: string
  text: string
  /** The language of the conversation. */
  language: string | null
}

/** Proactive mail from an agent. An answer to it opens a ticket about the conversation. */
export interface Unasked {
  /**
   * The ticket that an answer will open, the same for each mail about a conversation; undefined where this address had
   * an automatic mail today. Runs inside a transaction, and records the mail.
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
