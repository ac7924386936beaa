import type { Conversations } from '../../conversations/index.ts'
import type { OutboxRecord } from '../../../schema/sqlite/storage.ts'
import type { Sender } from '../../platform/work/outbox.ts'
import type { OpenProvider, TicketingProviderStore, TicketStore } from '../store.ts'
import type { TicketProvider } from './base/contract.ts'
import { ProviderError } from './base/error.ts'

/** Messages of a conversation quoted in a ticket elsewhere. */
const QUOTED = 100

/** Opens tickets and writes comments in ticketing providers, each looked up first where an attempt may have arrived. */
export function providerSender ({ tickets, providers, conversations, providerOf }: {
  tickets: TicketStore
  providers: TicketingProviderStore
  conversations: Pick<Conversations, 'store'>
  providerOf: (provider: OpenProvider) => TicketProvider
}): Sender {
  async function about ({ owner, payload }: OutboxRecord) {
    const { ticket: id, n } = payload as { ticket: string, n: number }
    const kept = await tickets.get(owner, id)
    const open = kept?.ticket.provider ? await providers.open(owner, kept.ticket.provider) : undefined
    if (!kept || !open) {
      throw new ProviderError('provider_gone', 'The ticket or its ticketing provider is gone.', { retryable: false })
    }
    return { ...kept, n, owner, provider: providerOf(open) }
  }

  async function quoted (owner: number, conversation: string | null): Promise<string> {
    const said =
      conversation === null
        ? []
        : ((await conversations.store.messages(owner, conversation, { before: Number.MAX_SAFE_INTEGER }, QUOTED)) ?? [])
    return said.filter(({ text }) => text !== '').map(({ role, text }) => `${role}: ${text}`).join('\n\n')
  }

  return {
    async send (entry, signal) {
      const { ticket, messages, n, owner, provider } = await about(entry)
      if (n === 0) {
        const made = await provider.create(
          { ticket, said: await quoted(owner, ticket.conversation) }, entry.key, signal
        )
        await tickets.named(owner, ticket.id, { external_id: made.externalId, external_url: made.externalUrl })
        return made
      }
      const message = messages.find((one) => one.n === n)
      if (!message) throw new ProviderError('provider_gone', 'The message is gone.', { retryable: false })
      // A comment has to wait until its ticket is there.
      if (ticket.external_id === null) throw new ProviderError('provider_unavailable', 'The ticket is not there yet.')
      await provider.comment(ticket.external_id, message, entry.key, signal)
      return { externalId: null }
    },

    async find (entry, signal) {
      const { ticket, n, owner, provider } = await about(entry)
      if (n === 0) {
        const found = await provider.find(entry.key, { ticket, said: '' }, signal)
        if (found) {
          await tickets.named(owner, ticket.id, { external_id: found.externalId, external_url: found.externalUrl })
        }
        return found
      }
      const isThere = ticket.external_id !== null && await provider.hasComment(ticket.external_id, entry.key, signal)
      return isThere ? { externalId: ticket.external_id ?? '' } : undefined
    }
  }
}
