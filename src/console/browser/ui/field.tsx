import { cloneElement, type VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { nativeComplaint } from '../asking/complaints.ts'
import { labelled } from '../texts/index.ts'

/** A control with its label, a hint, and what is wrong with it. The control receives the id and `aria-describedby`. */
export function Field ({
  label, hint, error, children
}: {
  label: string, hint?: string | undefined, error?: string | undefined, children: VNode<Record<string, unknown>>
}) {
  const id = useId()
  const [unsent, setUnsent] = useState<string>()
  const wrong = unsent ?? error
  const described = [hint && `${id}-hint`, wrong && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div
      class='field'
      onInvalidCapture={(event) => setUnsent(refused(event))}
      onInput={() => setUnsent(undefined)}
    >
      <label for={id}>{label}</label>
      {cloneElement(children, { id, 'aria-describedby': described, 'aria-invalid': wrong ? 'true' : undefined })}
      {hint && <p class='hint' id={`${id}-hint`}>{hint}</p>}
      {wrong && <p class='error' id={`${id}-error`}>{labelled(label, wrong)}</p>}
    </div>
  )
}

/**
 * Shows under the field what a browser would say in a bubble, in its own language and over the page; the first invalid
 * field of a form gets the focus.
 */
function refused (event: Event): string {
  event.preventDefault()
  const input = event.target as HTMLInputElement
  if (input.form?.querySelector(':is(input, select, textarea):invalid') === input) input.focus()
  return nativeComplaint(input)
}

/** A switch with its label beside it. */
export function Switch ({
  label, hint, checked, disabled = false, onChange
}: {
  label: string, hint?: string | undefined, checked: boolean, disabled?: boolean, onChange: (checked: boolean) => void
}) {
  const id = useId()
  return (
    <div class='field switch'>
      <input
        type='checkbox'
        role='switch'
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && <p class='hint' id={`${id}-hint`}>{hint}</p>}
    </div>
  )
}
