import { useState } from 'preact/hooks'
import type { Conversation, Priority } from '../../../../../../schema/conversations.ts'
import { api } from '../../../api.ts'
import { texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { MOST_TAGS } from '../limits.ts'
import { TagsField, tagsIn, type TypedTags } from './tags-field.tsx'

/** The priority and tags of a conversation. */
export function SortDialog ({ conversation, onClose, onChanged }: {
  conversation: Conversation, onClose: () => void, onChanged: (conversation: Conversation) => void
}) {
  const { desk } = texts.value
  const [tags, setTags] = useState<TypedTags>({ tags: conversation.tags, typed: '' })
  const [priority, setPriority] = useState(conversation.priority)
  const save = useAction(async () => {
    const body = { tags: tagsIn(tags).slice(0, MOST_TAGS), priority }
    onChanged((await api.patch<Conversation>(`/conversations/${conversation.id}`, body)).data)
    onClose()
  })
  return (
    <FormDialog title={desk.sort} action={save} onClose={onClose}>
      <TagsField value={tags} most={MOST_TAGS} hint={desk.tagsHint} error={save.errorAt('tags')} onChange={setTags} />
      <Field label={desk.priority} error={save.errorAt('priority')}>
        <PrioritySelect none={desk.priorities.none} value={priority} onChange={setPriority} />
      </Field>
    </FormDialog>
  )
}

/** A select of priorities; `none`: the label for no choice. */
export function PrioritySelect ({ none, value, onChange, ...rest }: {
  'aria-label'?: string
  none: string
  value: Priority | null
  onChange: (priority: Priority | null) => void
}) {
  const { priorities } = texts.value.desk
  return (
    <select
      {...rest} value={value ?? ''} onChange={(event) => onChange((event.currentTarget.value || null) as Priority | null)}
    >
      <option value=''>{none}</option>
      {(['urgent', 'high', 'low'] as const).map((one) => <option key={one} value={one}>{priorities[one]}</option>)}
    </select>
  )
}
