import { X } from 'lucide-preact'
import type { TranslatedTexts, Translations as Texts } from '../../../../../schema/agents.ts'
import { schemaAt, type FieldSchema } from '../../forms.ts'
import { fill, language as shownIn, languageCalled, languageNamed, texts } from '../../texts/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** Languages offered; others, set through the API, are left as they are. */
const OFFERED =
  'ar bg cs da de el en es et fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh'.split(' ')
/** The texts, the main field whose label each uses, and whether it is a list with one item per line. */
const PARTS = [
  ['welcomeMessage', 'appearance.welcomeMessage', false],
  ['buttonText', 'appearance.buttonText', false],
  ['suggestions', 'behavior.suggestions', true],
  ['followupMessages', 'behavior.followupMessages', true],
  ['data_retention_message', 'gdpr_settings.data_retention_message', false]
] as const

/** An agent's own texts in other languages, one section each. `schema`: that of the patch, for the limits. */
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
  const left = OFFERED.filter((code) => !(code in value))
    .sort((a, b) => languageCalled(a).localeCompare(languageCalled(b), shownIn.value))
  return (
    <fieldset class='full lines' disabled={disabled}>
      <legend>{label}</legend>
      {hint && <p class='hint'>{hint}</p>}
      {Object.entries(value).map(([code, own]) => (
        <fieldset class='full' key={code} aria-label={languageCalled(code)}>
          <div class='row nowrap'>
            <strong class='grow'>{languageCalled(code)}</strong>
            <IconButton
              label={fill(editor.removeLanguage, { language: languageNamed(code) })}
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
          {left.map((code) => <option key={code} value={code}>{languageCalled(code)}</option>)}
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
