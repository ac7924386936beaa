import { Plus, X } from 'lucide-preact'
import type { Parameter } from '../../../../../schema/actions.ts'
import { fill, texts } from '../../texts/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field, Switch } from '../../ui/field.tsx'
import { Line } from './line.tsx'

const NEW: Parameter = {
  name: '', in: 'query', type: 'string', description: '', required: true, enum: [], pattern: '', max: 200, from: 'model', value: null
}
const SOURCES = ['model', 'visitor.external_id', 'visitor.verified_email', 'conversation', 'constant'] as const

/** The parameters of an action, in order. */
export function Parameters ({ value, onChange }: { value: Parameter[], onChange: (value: Parameter[]) => void }) {
  const { acts, ui } = texts.value
  return (
    <fieldset class='full lines'>
      <legend>{acts.parameters}</legend>
      {value.map((one, at) => (
        <One
          key={at}
          parameter={one}
          onChange={(change) => onChange(value.with(at, { ...one, ...change }))}
          onRemove={() => onChange(value.toSpliced(at, 1))}
        />
      ))}
      <Button icon={Plus} onClick={() => onChange([...value, NEW])}>{ui.add}</Button>
    </fieldset>
  )
}

function One ({ parameter, onChange, onRemove }: {
  parameter: Parameter, onChange: (change: Partial<Parameter>) => void, onRemove: () => void
}) {
  const { acts, business } = texts.value
  const { name, in: place, type, required, from, value } = parameter
  return (
    <div class='card stack'>
      <div class='row'>
        <span class='grow'>
          <Line label={acts.name} value={name} most={64} required onChange={(text) => onChange({ name: text })} />
        </span>
        <IconButton label={fill(business.removeOf, { name: name || acts.parameter })} icon={X} onClick={onRemove} />
      </div>
      <Choice
        label={acts.place}
        all={['path', 'query', 'body', 'header']}
        value={place}
        onChange={(one) => onChange({ in: one })}
      />
      <Choice
        label={acts.type}
        all={['string', 'integer', 'number', 'boolean']}
        value={type}
        onChange={(one) => onChange({ type: one, ...(one !== 'string' && { max: 1_000_000_000 }) })}
      />
      <Choice
        label={acts.from}
        all={SOURCES}
        value={from}
        names={acts.sources}
        onChange={(one) => onChange({ from: one, value: one === 'constant' ? '' : null })}
      />
      {from === 'constant' && (
        <Line label={acts.value} value={String(value ?? '')} onChange={(text) => onChange({ value: text })} />
      )}
      {from === 'model' && <Asked parameter={parameter} onChange={onChange} />}
      <Switch label={acts.required} checked={required} onChange={(checked) => onChange({ required: checked })} />
    </div>
  )
}

/** What a visitor is asked for. */
function Asked ({ parameter: { description, enum: values, pattern }, onChange }: {
  parameter: Parameter, onChange: (change: Partial<Parameter>) => void
}) {
  const { acts } = texts.value
  return (
    <>
      <Line
        label={acts.description}
        value={description}
        most={300}
        onChange={(text) => onChange({ description: text })}
      />
      <Field label={acts.values} hint={acts.valuesHint}>
        <input
          value={values.join(', ')}
          onChange={({ currentTarget: { value: text } }) =>
            onChange({ enum: text.split(',').map((one) => one.trim()).filter(Boolean) })}
        />
      </Field>
      <Line
        label={acts.pattern}
        hint={acts.patternHint}
        value={pattern}
        most={100}
        onChange={(text) => onChange({ pattern: text })}
      />
    </>
  )
}

function Choice<T extends string> ({ label, all, value, names, onChange }: {
  label: string, all: readonly T[], value: T, names?: Record<T, string>, onChange: (value: T) => void
}) {
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {all.map((one) => <option key={one} value={one}>{names?.[one] ?? one}</option>)}
      </select>
    </Field>
  )
}
