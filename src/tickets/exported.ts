import type { Exporter } from '../personal-data/contract.ts'
import { shown } from './life.ts'
import type { TicketStore } from './store.ts'

/** Maximum tickets per conversation in an export. */
const MAX_EXPORTED = 1000

/** A conversation's tickets; for a visitor, those that belong to none and have their address. */
export function exportedTickets (tickets: Pick<TicketStore, 'get' | 'list' | 'ofPerson'>): Exporter {
  return {
    name: 'tickets',
    async of (owner, about) {
      if ('conversation' in about) {
        const ofConversation = { conversation: about.conversation.id }
        return (await tickets.list(owner, ofConversation, undefined, MAX_EXPORTED)).items
      }
      const { agent, email } = about.visitor
      const found = email === null ? [] : await tickets.ofPerson(owner, agent, email)
      const kept = await Promise.all(found.map(async (id) => await tickets.get(owner, id)))
      return kept.flatMap((one) => one ? [shown(one)] : [])
    }
  }
}
