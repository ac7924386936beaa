import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Plus, X } from 'lucide-preact'
import type { Translations as Texts } from '../../../../../schema/agents.ts'
import AgentPatch from 'schema:agents#AgentPatch'
import { schemaAt, type FieldSchema } from '../../forms.ts'
import { may, me } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field, Switch } from '../../ui/field.tsx'
import { ChosenActions } from '../actions/chosen.tsx'
import { choiceCalled, kindBy, kindCalled, type FieldOf } from './fields.ts'
import { DefaultSystem, OwnModels, TicketSystems } from './providers.tsx'
import { Translations } from './translations.tsx'

interface Props {
  field: FieldOf
  value: unknown
  error: string | undefined
  disabled: boolean
  /** The selected ticket systems, one of which may be the default. */
  systems: string[]
  onChange: (value: unknown) => void
}

/** The id of the list of suggested models. */
const MODELS = 'own-models'

/** A field of the editor, with the control that the field list names, within the bounds of the schema. */
export function Control ({ field, value, error, disabled, systems, onChange }: Props) {
  const { fields, editor, hints } = texts.value
  const schema = schemaAt(AgentPatch, field.path)
  const label = fields[field.label]
  const isMissing = field.needs !== undefined && !me.value!.features[field.needs]
  const hint = isMissing ? editor.needsFeature : (hints as Record<string, string>)[field.path]
  const isOff = disabled || isMissing
  if (field.as === 'switch') {
    return (
      <div class={field.size}>
        <Switch label={label} hint={hint} checked={value === true} disabled={isOff} onChange={onChange} />
        {error && <p class='error'>{error}</p>}
      </div>
    )
  }
  if (field.as === 'lines') {
    return (
      <Lines
        label={label}
        hint={hint}
        schema={schema}
        value={value as string[]}
        error={error}
        disabled={isOff}
        onChange={onChange}
      />
    )
  }
  if (field.as === 'translations') {
    return (
      <Translations
        label={label}
        hint={hint}
        schema={AgentPatch}
        value={value as Texts}
        error={error}
        disabled={isOff}
        onChange={onChange}
      />
    )
  }
  const listed = listOf(field, { label, hint, value, error, disabled: isOff, systems, onChange })
  if (listed) return listed
  const hasOffers = field.as === 'model' && may('CONFIGURE_BUSINESS')
  return (
    <div class={field.size}>
      <Field label={label} hint={hint} error={error}>
        {field.as === 'provider'
          ? <DefaultSystem value={value as string | null} among={systems} disabled={isOff} onChange={onChange} />
          : inputOf(field, schema, value, isOff, onChange, hasOffers ? MODELS : undefined)}
      </Field>
      {hasOffers && <OwnModels id={MODELS} />}
    </div>
  )
}

/** A control that selects from a list of the account; undefined for other fields. */
function listOf (
  { as }: FieldOf,
  { value, systems, ...given }: Omit<Props, 'field'> & { label: string, hint: string | undefined }
): JSX.Element | undefined {
  if (as === 'actions') return <ChosenActions {...given} chosen={value as number[]} />
  return as === 'providers' ? <TicketSystems {...given} chosen={systems} /> : undefined
}

/** Nullable fields: the schema lists null beside the type. */
function mayBeNull ({ type }: FieldSchema): boolean {
  return Array.isArray(type) && type.includes('null')
}

/** `list`: the id of the suggestions. */
function inputOf (
  { as, choices: own }: FieldOf, schema: FieldSchema, value: unknown, disabled: boolean, onChange: Props['onChange'], list?: string
): JSX.Element {
  const shown = value === null || value === undefined ? '' : String(value)
  const bounds = { maxLength: schema.maxLength, disabled, value: shown }
  const typed = (text: string) => onChange(text === '' && mayBeNull(schema) ? null : text)
  if (as === 'text') {
    return (
      <textarea
        rows={shown.length > 200 ? 8 : 3}
        dir='auto'
        {...bounds}
        onInput={(event) => typed(event.currentTarget.value)}
      />
    )
  }
  if (as === 'choice') {
    const all = own ?? schema.enum!
    return (
      <select disabled={disabled} value={shown} onChange={(event) => onChange(event.currentTarget.value)}>
        {(all.includes(shown) ? all : [shown, ...all]).map((one) => (
          <option key={one} value={one}>{choiceCalled(one)}</option>
        ))}
      </select>
    )
  }
  if (as === 'number') {
    const isWhole = [schema.type].flat().includes('integer')
    return (
      <input
        type='number'
        disabled={disabled}
        value={shown}
        min={schema.minimum}
        max={schema.maximum}
        step={isWhole ? 1 : 0.1}
        onInput={({ currentTarget: { value: text, valueAsNumber } }) => onChange(text === '' ? null : valueAsNumber)}
      />
    )
  }
  if (as === 'color') {
    return (
      <input type='color' disabled={disabled} value={shown} onInput={(event) => onChange(event.currentTarget.value)} />
    )
  }
  if (as === 'kind') {
    return (
      <input
        dir='auto'
        {...bounds}
        value={kindCalled(shown)}
        onInput={(event) => typed(kindBy(event.currentTarget.value))}
      />
    )
  }
  return <input dir='auto' list={list} {...bounds} onInput={(event) => typed(event.currentTarget.value)} />
}

/** A list of texts, one per line. */
function Lines ({
  label, hint, schema, value, error, disabled, onChange
}: Omit<Props, 'field' | 'value' | 'systems'> & { label: string, hint: string | undefined, schema: FieldSchema, value: string[] }) {
  const { editor } = texts.value
  const set = (at: number, line: string) => onChange(value.with(at, line))
  const all = useRef<HTMLFieldSetElement>(null)
  const isAdded = useRef(false)
  // Focus moves to the added line: on the button, each typed space would press it again.
  useLayoutEffect(() => {
    if (isAdded.current) [...all.current!.querySelectorAll('input')].at(-1)?.focus()
    isAdded.current = false
  }, [value.length])
  return (
    <fieldset class='full lines' disabled={disabled} ref={all}>
      <legend>{label}</legend>
      {hint && <p class='hint'>{hint}</p>}
      {value.map((line, i) => (
        <div class='row nowrap' key={i}>
          <input
            class='grow'
            dir='auto'
            aria-label={fill(editor.line, { label, n: i + 1 })}
            maxLength={schema.items?.maxLength}
            value={line}
            onInput={(event) => set(i, event.currentTarget.value)}
          />
          <IconButton
            label={fill(editor.removeLine, { n: i + 1 })}
            icon={X}
            onClick={() => onChange(value.toSpliced(i, 1))}
          />
        </div>
      ))}
      {error && <p class='error'>{error}</p>}
      <div>
        <Button
          icon={Plus}
          disabled={value.length >= (schema.maxItems ?? Infinity)}
          onClick={() => {
            isAdded.current = true
            onChange([...value, ''])
          }}
        >
          {editor.addLine}
        </Button>
      </div>
    </fieldset>
  )
}
