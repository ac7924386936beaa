import { useState } from 'preact/hooks'
import { X } from 'lucide-preact'
import { fill, region, texts } from '../../texts/index.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** Days on which nobody is available. */
export function ClosedDays ({ days, onChange }: { days: string[], onChange: (days: string[]) => void }) {
  const { business, ui } = texts.value
  const [day, setDay] = useState('')
  const shown = new Intl.DateTimeFormat(region.value, { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <div class='stack'>
      <Field label={business.closedOn}>
        <input type='date' class='date' value={day} onChange={(event) => setDay(event.currentTarget.value)} />
      </Field>
      <div class='actions'>
        <Button
          disabled={!day || days.includes(day)} onClick={() => {
            onChange([...days, day].sort())
            setDay('')
          }}
        >{ui.add}
        </Button>
        {days.map((one) => {
          const name = shown.format(Date.parse(one))
          return (
            <Button
              key={one}
              icon={X}
              aria-label={fill(business.removeDay, { day: name })}
              onClick={() => onChange(days.filter((other) => other !== one))}
            >
              {name}
            </Button>
          )
        })}
      </div>
    </div>
  )
}
