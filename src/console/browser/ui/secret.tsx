import { useId } from 'preact/hooks'
import { texts } from '../texts/index.ts'
import { CopyButton } from './copy.tsx'

/** Something to be passed on, such as a link or a secret, and a button that copies it. */
export function Secret ({ label, value, hint }: { label: string, value: string, hint?: string }) {
  const id = useId()
  return (
    <div class='field'>
      <label for={id}>{label}</label>
      <div class='row'>
        <input
          id={id}
          class='grow code'
          readOnly
          value={value}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={value} label={texts.value.ui.copy} />
      </div>
      {hint && <p class='hint' id={`${id}-hint`}>{hint}</p>}
    </div>
  )
}
