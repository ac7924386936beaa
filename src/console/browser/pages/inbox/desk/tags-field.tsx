import { useId } from 'preact/hooks'
import { X } from 'lucide-preact'
import { tagsAs } from '../../../../../platform/tags.ts'
import { useResource } from '../../../resource.ts'
import { fill, texts } from '../../../texts/index.ts'
import { Field } from '../../../ui/field.tsx'
import { LONGEST_TAG } from '../limits.ts'

/** The current tags, and the text typed to add some. */
export interface TypedTags { tags: readonly string[], typed: string }

/** All of them, without duplicates: the typed text is split at commas. */
export function tagsIn ({ tags, typed }: TypedTags): string[] {
  return tagsAs([...tags, typed])
}

/** A field for tags: existing tags are suggested, and each current one can be removed. */
export function TagsField ({ value: { tags, typed }, most, hint, error, onChange }: {
  value: TypedTags, most: number, hint: string, error: string | undefined, onChange: (value: TypedTags) => void
}) {
  const { desk } = texts.value
  const list = useId()
  const { data: known = [] } = useResource<Array<{ name: string }>>('/tags')
  // Browsers suggest completions of the whole typed text.
  const before = /^(?:.*,)?\s*/.exec(typed)?.[0] ?? ''
  return (
    <>
      <Field label={desk.tags} hint={hint} error={error}>
        <input
          value={typed} list={list} maxLength={LONGEST_TAG * 5} disabled={tags.length >= most} dir='auto'
          onInput={(event) => onChange({ tags, typed: event.currentTarget.value })}
        />
      </Field>
      <datalist id={list}>{known.map(({ name }) => <option key={name} value={before + name} />)}</datalist>
      {tags.length > 0 && (
        <ul class='plain tags'>
          {tags.map((tag) => (
            <li key={tag}>
              <button
                type='button' class='tag' aria-label={fill(desk.removeTag, { tag })}
                onClick={() => onChange({ tags: tags.filter((one) => one !== tag), typed })}
              >
                <span class='cut' dir='auto'>{tag}</span><X size={12} aria-hidden='true' />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
