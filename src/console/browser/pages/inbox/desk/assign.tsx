import { useState } from 'preact/hooks'
import type { Conversation } from '../../../../../../schema/conversations.ts'
import type { Colleague } from '../../../../../../schema/team.ts'
import { api } from '../../../api.ts'
import { useResource } from '../../../resource.ts'
import { me } from '../../../session.ts'
import { texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { LONGEST_NOTE } from '../limits.ts'

/** Assigns a conversation to a team member, with a note that says why. */
export function AssignDialog ({ conversation, onClose, onChanged }: {
  conversation: Conversation, onClose: () => void, onChanged: (conversation: Conversation) => void
}) {
  const { desk, ui } = texts.value
  const { id, person, assignee } = conversation
  const { data: colleagues = [] } = useResource<Colleague[]>('/colleagues')
  const [to, setTo] = useState(String(assignee ?? ''))
  const [text, setText] = useState('')
  const assign = useAction(async () => {
    const from = person !== null && person !== me.value!.user.id ? { from: person } : {}
    const { data } = await api.put<Conversation>(`/conversations/${id}/assignee`, { assignee: Number(to) || null, ...from })
    onChanged(data)
    if (text.trim()) await api.post(`/conversations/${id}/notes`, { text })
    onClose()
  })
  return (
    <FormDialog title={desk.assign} action={assign} verb={desk.assignVerb} onClose={onClose}>
      <p class='hint'>{desk.assignHint}</p>
      <Field label={desk.assignee} error={assign.errorAt('assignee')}>
        <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
          <option value=''>{desk.nobody}</option>
          {colleagues.map(({ user, name }) => (
            <option key={user} value={user}>{user === me.value!.user.id ? `${name} (${ui.you})` : name}</option>
          ))}
        </select>
      </Field>
      <Field label={desk.assignNote}>
        <textarea maxLength={LONGEST_NOTE} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
