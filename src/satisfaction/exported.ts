import type { Exporter } from '../personal-data/contract.ts'
import type { SatisfactionStore } from './store.ts'

/** How content a visitor was with each conversation. */
export function exportedSatisfaction (satisfaction: Pick<SatisfactionStore, 'ofConversation'>): Exporter {
  return {
    name: 'satisfaction',
    of: async (owner, about) =>
      'conversation' in about ? await satisfaction.ofConversation(owner, about.conversation.id) : []
  }
}
