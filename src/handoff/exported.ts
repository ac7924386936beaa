import type { Exporter } from '../personal-data/contract.ts'
import type { NoteStore } from './notes.sqlite.ts'
import type { SeenStore } from './seen.sqlite.ts'

/** The notes on each conversation. */
export function exportedNotes (notes: Pick<NoteStore, 'list'>): Exporter {
  return {
    name: 'notes',
    of: async (owner, about) => 'conversation' in about ? await notes.list(owner, about.conversation.id) ?? [] : []
  }
}

/** How far the visitor has seen each conversation, and when. */
export function exportedSeen (seen: Pick<SeenStore, 'ofVisitor'>): Exporter {
  return {
    name: 'seen',
    async of (owner, about) {
      const mark = 'conversation' in about ? await seen.ofVisitor(owner, about.conversation.id) : undefined
      return mark ? [mark] : []
    }
  }
}
