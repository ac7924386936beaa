import { useState } from 'preact/hooks'
import draft from 'schema:tickets#TicketDraft'
import type { Ticket } from '../../../../../schema/tickets.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'

/** Opens a ticket that belongs to no conversation. */
export function NewTicket ({ agents, onClose, onOpened }: {
  agents: Array<{ id: number, name: string }>, onClose: () => void, onOpened: (ticket: Ticket) => void
}) {
  const { tickets } = texts.value
  const [agent, setAgent] = useState(agents[0]!.id)
  const [subject, setSubject] = useState('')
  const [description, setDescription] = useState('')
  const [email, setEmail] = useState('')
  const open = useAction(async () => {
    const body = { agent, subject, description, ...(email && { requester: { email } }) }
    onOpened((await api.post<Ticket>('/tickets', body)).data)
  })
  return (
    <FormDialog title={tickets.open} action={open} verb={tickets.open} onClose={onClose}>
      <Field label={tickets.agent} error={open.errorAt('agent')}>
        <select value={agent} onChange={(event) => setAgent(Number(event.currentTarget.value))}>
          {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </Field>
      <Field label={tickets.subject} error={open.errorAt('subject')}>
        <input
          required
          value={subject}
          maxLength={schemaAt(draft, 'subject').maxLength}
          onInput={(event) => setSubject(event.currentTarget.value)}
        />
      </Field>
      <Field label={tickets.description} error={open.errorAt('description')}>
        <textarea
          value={description}
          maxLength={schemaAt(draft, 'description').maxLength}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </Field>
      <Field label={tickets.requester} hint={tickets.requesterHint} error={open.errorAt('requester.email')}>
        <input type='email' value={email} maxLength={254} onInput={(event) => setEmail(event.currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
