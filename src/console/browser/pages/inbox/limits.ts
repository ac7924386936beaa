import draft from 'schema:conversations#MessageDraft'
import ticket from 'schema:tickets#ConversationTicketDraft'
import note from 'schema:handoff#NoteDraft'
import { schemaAt } from '../../forms.ts'

export const LONGEST_REPLY = schemaAt(draft, 'text').maxLength
export const LONGEST_NOTE = schemaAt(note, 'text').maxLength
export const LONGEST_SUBJECT = schemaAt(ticket, 'subject').maxLength
export const LONGEST_DESCRIPTION = schemaAt(ticket, 'description').maxLength

/** How many conversations somebody takes at once, as typed; null: as many as come, undefined: it is no number. */
export function capacityIn (typed: string): number | null | undefined {
  const text = typed.trim()
  if (text === '') return null
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined
}
