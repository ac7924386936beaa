import { useId, useState } from 'preact/hooks'
import { X } from 'lucide-preact'
import type { Conversation, Priority } from '../../../../../../schema/conversations.ts'
import { api } from '../../../api.ts'
import { useResource } from '../../../resource.ts'
import { fill, texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'

const MOST_TAGS = 20
const LONGEST_TAG = 50

/** How soon a conversation is looked after, and under which words it is found. */
export function SortDialog ({ conversation, onClose, onChanged }: {
  conversation: Conversation, onClose: () => void, onChanged: (conversation: Conversation) => void
}) {
  const { desk } = texts.value
  const list = useId()
  const { data: known = [] } = useResource<Array<{ name: string }>>('/tags')
  const [tags, setTags] = useState(conversation.tags)
  const [typed, setTyped] = useState('')
  const [priority, setPriority] = useState(conversation.priority)
  const all = [...new Set([...tags, ...split(typed)])].slice(0, MOST_TAGS)
  const save = useAction(async () => {
    const body = { tags: all, priority }
    onChanged((await api.patch<Conversation>(`/conversations/${conversation.id}`, body)).data)
    onClose()
  })
  return (
    <FormDialog title={desk.sort} action={save} onClose={onClose}>
      <Field label={desk.tags} hint={desk.tagsHint} error={save.errorAt('tags')}>
        <input
          value={typed} list={list} maxLength={LONGEST_TAG * 2} disabled={tags.length >= MOST_TAGS} dir='auto'
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
      <datalist id={list}>{known.map(({ name }) => <option key={name} value={name} />)}</datalist>
      {tags.length > 0 && (
        <ul class='plain tags'>
          {tags.map((tag) => (
            <li key={tag}>
              <button
                type='button' class='tag' aria-label={fill(desk.removeTag, { tag })}
                onClick={() => setTags(tags.filter((one) => one !== tag))}
              >
                <span class='cut' dir='auto'>{tag}</span><X size={12} aria-hidden='true' />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Field label={desk.priority} error={save.errorAt('priority')}>
        <PrioritySelect none={desk.priorities.none} value={priority} onChange={setPriority} />
      </Field>
    </FormDialog>
  )
}

/** A choice of priorities; `none`: what no choice is called. */
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

/** Several tags are parted by commas. */
function split (typed: string): string[] {
  return typed.split(',').map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')
}
