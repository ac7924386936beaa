import { Field } from '../../ui/field.tsx'

/** A text field of one line or several. */
export function Line ({ label, hint, error, value, most, rows, required = false, placeholder, onChange }: {
  label: string
  hint?: string
  error?: string | undefined
  value: string
  /** Maximum number of characters. */
  most?: number
  /** Visible lines; one by default. */
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
