import { cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'

/** A control with its label, a hint, and what is wrong with it. The control is given the id and what describes it. */
export function Field ({
  label, hint, error, children
}: {
  label: string, hint?: string | undefined, error?: string | undefined, children: VNode<Record<string, unknown>>
}) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div class='field'>
      <label for={id}>{label}</label>
      {cloneElement(children, { id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined })}
      {hint && <p class='hint' id={`${id}-hint`}>{hint}</p>}
      {error && <p class='error' id={`${id}-error`}>{error}</p>}
    </div>
  )
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
