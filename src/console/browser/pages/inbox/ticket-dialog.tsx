import { useState } from 'preact/hooks'
import type { Ticket } from '../../../../../schema/tickets.ts'
import { api } from '../../api.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { LONGEST_DESCRIPTION, LONGEST_SUBJECT } from './limits.ts'

/** Opens a ticket about a conversation; empty fields are filled from the conversation and its visitor. */
export function TicketDialog ({
  conversation, onClose, onOpened
}: {
  conversation: string, onClose: () => void, onOpened: () => void
}) {
  const { inbox } = texts.value
  const [subject, setSubject] = useState('')
  const [description, setDescription] = useState('')
  const [email, setEmail] = useState('')
  const open = useAction(async () => {
    const body = {
      ...(subject.trim() && { subject }),
      ...(description.trim() && { description }),
      ...(email && { requester: { email } })
    }
    await api.post<Ticket>(`/conversations/${conversation}/tickets`, body)
    toast(inbox.ticketOpened)
    onOpened()
    onClose()
  })
  return (
    <FormDialog title={inbox.openTicket} action={open} verb={inbox.openTicket} onClose={onClose}>
      <p class='hint'>{inbox.ticketHint}</p>
      <Field label={inbox.subject} error={open.errorAt('subject')}>
        <input
          value={subject}
          maxLength={LONGEST_SUBJECT}
          onInput={(event) => setSubject(event.currentTarget.value)}
        />
      </Field>
      <Field label={inbox.description} error={open.errorAt('description')}>
        <textarea
          value={description}
          maxLength={LONGEST_DESCRIPTION}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </Field>
      <Field label={inbox.requester} error={open.errorAt('requester.email')}>
        <input type='email' value={email} maxLength={254} onInput={(event) => setEmail(event.currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
