import type { AgentRecord } from '../../../schema/agents.ts'
import type { BusinessRecord } from '../../../schema/business.ts'
import type { Id } from '../../../schema/common.ts'
import type { BusinessStore } from '../../business/index.ts'
import type { Conversations } from '../../conversations/index.ts'
import { languageOfMessage } from '../../search/words/of-message.ts'
import type { Smtp } from '../../platform/net/smtp.ts'
import type { Sender } from '../../platform/work/outbox.ts'
import type { TicketStore } from '../store.ts'
import type { Addressing } from './address.ts'
import { HELD } from '../life.ts'
import { compose, composeHeld } from './compose.ts'

interface Payload { ticket: string, n: number, side: 'business' | 'requester', type: string }

/** Messages of a conversation quoted in the mail that opens its ticket. */
const QUOTED = 100

/** A permanent failure. */
const failed = (code: string, message: string) => Object.assign(new Error(message), { code, retryable: false })

/**
 * The language of an account's people: the one that they have chosen for the weekly mail, else that of the agent's
 * instructions. English is what nobody had to choose.
 */
function languageOfBusiness ({ gaps_mail: chosen }: BusinessRecord, { systemPrompt }: AgentRecord): string | null {
  return chosen === 'off' || chosen === 'en' ? languageOfMessage(systemPrompt) : chosen
}

/**
 * Sends mail about tickets. A mail server cannot be asked whether it already has a mail, so one that may have arrived
 * is resent with the same Message-ID, and mail programs show it once.
 */
export function mailSender ({ smtp, ours, installation, store, conversations, agentOf, business }: {
  smtp: Smtp
  ours: () => Addressing
  /** What marks mail of this installation. */
  installation: () => string
  store: TicketStore
  conversations: Pick<Conversations, 'store'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  business: Pick<BusinessStore, 'get'>
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
            : 'The address of the requester is not known.'
        )
      }
      const conversation =
        ticket.conversation === null ? undefined : await conversations.store.get(owner, ticket.conversation)
      const language = side === 'business'
        ? languageOfBusiness(await business.get(owner), agent)
        : conversation?.language ?? null
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
