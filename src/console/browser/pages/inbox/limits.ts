import conversation from 'schema:conversations#ConversationPatch'
import draft from 'schema:conversations#MessageDraft'
import ticket from 'schema:tickets#ConversationTicketDraft'
import note from 'schema:handoff#NoteDraft'
import { schemaAt } from '../../forms.ts'

const tags = schemaAt(conversation, 'tags')

export const [MOST_TAGS, LONGEST_TAG] = [Number(tags.maxItems), Number(tags.items?.maxLength)]
export const LONGEST_REPLY = schemaAt(draft, 'text').maxLength
export const LONGEST_NOTE = schemaAt(note, 'text').maxLength
export const LONGEST_SUBJECT = schemaAt(ticket, 'subject').maxLength
export const LONGEST_DESCRIPTION = schemaAt(ticket, 'description').maxLength
