import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Conversations } from '../../conversations/index.ts'
import { languageOfMessage } from '../../search/words/of-message.ts'
import type { Smtp } from '../../platform/net/smtp.ts'
import type { Sender } from '../../platform/work/outbox.ts'
import type { TicketStore } from '../store.ts'
import type { Addressing } from './address.ts'
import { HELD } from '../life.ts'
import { compose, composeHeld } from './compose.ts'

interface Payload { ticket: string, n: number, side: 'business' | 'requester', type: string }

/** Messages of a conversation that the mail quotes which opens its ticket. */
const QUOTED = 100

/** Something that waiting does not mend. */
const failed = (code: string, message: string) => Object.assign(new Error(message), { code, retryable: false })

/**
 * Sends mail about tickets. A mail server cannot be asked whether it has a mail already, so one that may have arrived
 * is sent again with the same Message-ID, by which mail programs show it once.
 */
export function mailSender ({ smtp, ours, installation, store, conversations, agentOf }: {
  smtp: Smtp
  ours: () => Addressing
  /** What marks mail of this installation. */
  installation: () => string
  store: TicketStore
  conversations: Pick<Conversations, 'store'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
}): Sender {
  return {
    async send ({ owner, payload }, signal) {
      const { ticket: id, n, side, type } = payload as Payload
      const kept = await store.get(owner, id)
      const agent = kept && await agentOf(owner, kept.ticket.agent)
      const message = kept?.messages.find((one) => one.n === n) ?? null
      if (!agent || (n > 0 && !message)) throw failed('ticket_gone', 'The ticket is gone.')
      const { ticket } = kept
      const name = agent.appearance.chatbotName
      if (type === HELD && message?.from) {
        const language = languageOfMessage(message.text)
        const mail = composeHeld(
          { ticket, message, side, to: message.from, name, language, said: [] }, ours(), installation()
        )
        await smtp.send(mail, signal)
        return { externalId: mail.messageId }
      }
      const to = side === 'business' ? agent.behavior.email : ticket.requester?.email
      if (!to) {
        throw failed(
          'no_address',
          side === 'business'
            ? 'The agent has no address for tickets any more (behavior.email).'
            : 'Nobody knows the address of who asked.'
        )
      }
      const conversation =
        ticket.conversation === null ? undefined : await conversations.store.get(owner, ticket.conversation)
      const language = conversation?.language ?? null
      const said =
        n === 0 && ticket.conversation !== null
          ? ((await conversations.store.messages(
              owner, ticket.conversation, { before: Number.MAX_SAFE_INTEGER }, QUOTED
            )) ?? [])
          : []
      const mail = compose(
        { ticket, message, side, to, name, language, said }, ours(), installation()
      )
      await smtp.send(mail, signal)
      return { externalId: mail.messageId }
    }
  }
}
