import { Plus, X } from 'lucide-preact'
import type { Day, Hours, Opening } from '../../../../../schema/business.ts'
import { fill, texts } from '../../texts/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Switch } from '../../ui/field.tsx'

const DAYS: Day[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const USUAL: Opening = { from: '09:00', to: '17:00' }
const WORKING = new Set<Day>(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'])
const usual = () => Object.fromEntries(DAYS.map((day) => [day, WORKING.has(day) ? [USUAL] : []])) as unknown as Hours

/** The hours of a week; null: always. */
export function Week ({ hours, onChange }: { hours: Hours | null, onChange: (hours: Hours | null) => void }) {
  const { business } = texts.value
  return (
    <>
      <Switch
        label={business.always}
        hint={business.alwaysHint}
        checked={hours === null}
        onChange={(isAlways) => onChange(isAlways ? null : usual())}
      />
      {hours && (
        <div class='hours'>
          {DAYS.map((day) => (
            <OneDay
              key={day}
              day={day}
              openings={hours[day]}
              onChange={(openings) => onChange({ ...hours, [day]: openings })}
            />
          ))}
        </div>
      )}
    </>
  )
}

function OneDay ({
  day, openings, onChange
}: {
  day: Day, openings: Opening[], onChange: (openings: Opening[]) => void
}) {
  const { business } = texts.value
  const name = business.days[day]
  const set = (i: number, end: 'from' | 'to', value: string) => {
    // Time inputs show midnight as 00:00; our days end at 24:00.
    const time = end === 'to' && value === '00:00' ? '24:00' : value
    onChange(openings.map((one, j) => (i === j ? { ...one, [end]: time } : one)))
  }
  return (
    <div class='row' role='group' aria-label={name}>
      <span class='day'>{name}</span>
      {openings.length === 0 && <span class='quiet'>{business.closed}</span>}
      {openings.map(({ from, to }, i) => (
        <span key={i} class='row'>
          <input
            type='time'
            required
            aria-label={fill(business.from, { day: name })}
            value={from}
            onChange={(event) => set(i, 'from', event.currentTarget.value)}
          />
          –
          <input
            type='time'
            required
            aria-label={fill(business.to, { day: name })}
            value={to === '24:00' ? '00:00' : to}
            onChange={(event) => set(i, 'to', event.currentTarget.value)}
          />
          <IconButton
            icon={X}
            label={fill(business.removeHours, { day: name, from, to })}
            onClick={() => onChange(openings.filter((_, j) => i !== j))}
          />
        </span>
      ))}
      {openings.length < 8 && (
        <Button
          kind='quiet'
          icon={Plus}
          onClick={() => onChange([...openings, USUAL])}
          aria-label={fill(business.addHours, { day: name })}
        >
          {texts.value.ui.add}
        </Button>
      )}
    </div>
  )
}
