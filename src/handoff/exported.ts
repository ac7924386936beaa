import type { Exporter } from '../personal-data/contract.ts'
import type { NoteStore } from './notes.sqlite.ts'

/** The notes on each conversation. */
export function exportedNotes (notes: Pick<NoteStore, 'list'>): Exporter {
  return {
    name: 'notes',
    of: async (owner, about) => 'conversation' in about ? await notes.list(owner, about.conversation.id) ?? [] : []
  }
}
