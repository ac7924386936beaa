import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Field } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** The review date of the item at a route: saved as soon as it is chosen. */
export function ReviewBy ({ at, day, onSaved }: {
  at: string, day: string | null, onSaved?: ((saved: { review_by: string | null }) => void) | undefined
}) {
  const { folders } = texts.value
  const [value, setValue] = useState(day ?? '')
  const save = useAction(async (next: string) => {
    setValue(next)
    const { data } = await api.put<{ review_by: string | null }>(at, { review_by: next || null })
    toast(folders.reviewSaved)
    onSaved?.(data)
  })
  return (
    <Field label={folders.review} hint={folders.reviewHint} error={save.error && sentenceOf(save.error)}>
      <input type='date' value={value} onChange={(event) => { save.run(event.currentTarget.value) }} />
    </Field>
  )
}
