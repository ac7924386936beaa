import { X } from 'lucide-preact'
import type { TranslatedTexts, Translations as Texts } from '../../../../../schema/agents.ts'
import { schemaAt, type FieldSchema } from '../../forms.ts'
import { fill, language as shownIn, texts } from '../../texts/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** Languages that are offered; others are kept as a program set them. */
const OFFERED =
  'ar bg cs da de el en es et fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh'.split(' ')
/** The texts, the field of the main one whose label each has, and whether it is a list, a line each. */
const PARTS = [
  ['welcomeMessage', 'appearance.welcomeMessage', false],
  ['buttonText', 'appearance.buttonText', false],
  ['suggestions', 'behavior.suggestions', true],
  ['followupMessages', 'behavior.followupMessages', true],
  ['data_retention_message', 'gdpr_settings.data_retention_message', false]
] as const

/** An agent's own texts in other languages, a part for each. `schema`: that of the patch, for their bounds. */
export function Translations ({ label, hint, schema, value, error, disabled, onChange }: {
  label: string
  hint: string | undefined
  schema: { properties: Record<string, FieldSchema> }
  value: Texts
  error: string | undefined
  disabled: boolean
  onChange: (value: Texts) => void
}) {
  const { editor } = texts.value
  const names = new Intl.DisplayNames(shownIn.value, { type: 'language' })
  const nameOf = (code: string) => names.of(code) ?? code
  const left = OFFERED.filter((code) => !(code in value))
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b), shownIn.value))
  return (
    <fieldset class='full lines' disabled={disabled}>
      <legend>{label}</legend>
      {hint && <p class='hint'>{hint}</p>}
      {Object.entries(value).map(([code, own]) => (
        <fieldset class='full' key={code} aria-label={nameOf(code)}>
          <div class='row nowrap'>
            <strong class='grow'>{nameOf(code)}</strong>
            <IconButton
              label={fill(editor.removeLanguage, { language: nameOf(code) })}
              icon={X}
              onClick={() => onChange(without(value, code))}
            />
          </div>
          <Parts schema={schema} own={own} onChange={(next) => onChange({ ...value, [code]: next })} />
        </fieldset>
      ))}
      {error && <p class='error'>{error}</p>}
      <div>
        <select
          aria-label={editor.addLanguage}
          value=''
          onChange={({ currentTarget }) => onChange({ ...value, [currentTarget.value]: {} })}
        >
          <option value=''>{editor.addLanguage}</option>
          {left.map((code) => <option key={code} value={code}>{nameOf(code)}</option>)}
        </select>
      </div>
    </fieldset>
  )
}

function Parts ({ schema, own, onChange }: {
  schema: { properties: Record<string, FieldSchema> }, own: TranslatedTexts, onChange: (own: TranslatedTexts) => void
}) {
  const { fields, editor } = texts.value
  return (
    <div class='stack'>
      {PARTS.map(([part, path, isList]) => {
        const { maxLength } = isList ? {} : schemaAt(schema, path)
        const shown = isList ? (own[part] ?? []).join('\n') : own[part] ?? ''
        return (
          <Field key={part} label={fields[path]} hint={isList ? editor.oneLineEach : undefined}>
            <textarea
              rows={isList ? 3 : 2}
              dir='auto'
              maxLength={maxLength}
              value={shown}
              onInput={({ currentTarget: { value } }) =>
                onChange({ ...own, [part]: isList ? value.split('\n') : value })}
            />
          </Field>
        )
      })}
    </div>
  )
}

function without (value: Texts, code: string): Texts {
  const { [code]: _gone, ...others } = value
  return others
}
