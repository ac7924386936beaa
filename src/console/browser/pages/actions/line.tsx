import { Field } from '../../ui/field.tsx'

/** A text in one line, or in several. */
export function Line ({ label, hint, error, value, most, rows, required = false, placeholder, onChange }: {
  label: string
  hint?: string
  error?: string | undefined
  value: string
  /** Characters at most. */
  most?: number
  /** Lines that are seen; without it there is one. */
  rows?: number
  required?: boolean
  placeholder?: string
  onChange: (value: string) => void
}) {
  const given = {
    value,
    required,
    ...(most !== undefined && { maxLength: most }),
    ...(placeholder !== undefined && { placeholder }),
    onInput: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  }
  return (
    <Field label={label} hint={hint} error={error}>
      {rows === undefined ? <input {...given} /> : <textarea rows={rows} {...given} />}
    </Field>
  )
}
