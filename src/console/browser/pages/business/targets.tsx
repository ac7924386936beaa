import patch from 'schema:business#BusinessPatch'
import type { ReplyTargets } from '../../../../../schema/business.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { Field, Switch } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'

const TARGETS = ['first_reply', 'next_reply'] as const

/** Reply time targets, in minutes of business hours, and whether visitors are asked for a rating. */
export function Targets ({ targets, asks, onChange, onAsks, errorAt }: {
  targets: ReplyTargets
  asks: boolean
  onChange: (targets: ReplyTargets) => void
  onAsks: (asks: boolean) => void
  errorAt: (field: string) => string | undefined
}) {
  const { desk } = texts.value
  return (
    <Card title={desk.targets}>
      <p class='quiet'>{desk.targetsText}</p>
      {TARGETS.map((one) => (
        <Field key={one} label={desk.targetOf[one]} error={errorAt(`targets.${one}`)}>
          <input
            type='number' inputMode='numeric' min={1} max={schemaAt(patch, `targets.${one}`).maximum}
            placeholder={desk.noTarget} value={targets[one] ?? ''}
            onInput={(event) => onChange({ ...targets, [one]: event.currentTarget.valueAsNumber || null })}
          />
        </Field>
      ))}
      <Switch label={desk.asks} hint={desk.asksHint} checked={asks} onChange={onAsks} />
    </Card>
  )
}
