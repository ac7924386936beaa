import type { Duty as DutyState } from '../../../../../schema/handoff.ts'
import { api } from '../../api.ts'
import { isLive } from '../../live.ts'
import { useResourceOf } from '../../resource.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { sentenceOf } from '../../ui/states.tsx'
import { capacityIn } from './limits.ts'

const CHOICES = { console: null, on: true, off: false } as const
type Choice = keyof typeof CHOICES

/**
 * Whether one is there for visitors: as long as the console is open, always, or not at all; and for how many at once.
 */
export function Duty () {
  const { inbox } = texts.value
  const duty = useResourceOf(async () => await api.get<DutyState>('/me/duty'), `duty:${isLive.value}`)
  const set = useAction(async (change: Partial<Pick<DutyState, 'on' | 'capacity'>>) => {
    const { data } = await api.put<DutyState>('/me/duty', { on: duty.data!.on, ...change })
    duty.set(data)
  })
  if (!duty.data) return null
  const { on, capacity, is_on_duty: isThere, is_open: isOpen } = duty.data
  const chosen = (Object.keys(CHOICES) as Choice[]).find((choice) => CHOICES[choice] === on)
  return (
    <div class='duty'>
      <span class={isThere ? 'dot good' : 'dot'} aria-hidden='true' />
      <select
        aria-label={inbox.duty}
        value={chosen}
        aria-busy={set.isBusy}
        title={isOpen ? undefined : inbox.outsideHours}
        onChange={(event) => { set.run({ on: CHOICES[event.currentTarget.value as Choice] }) }}
      >
        {(Object.keys(CHOICES) as Choice[]).map((choice) => (
          <option key={choice} value={choice}>{inbox.duties[choice]}</option>
        ))}
      </select>
      <input
        class='capacity' type='text' inputMode='numeric' maxLength={3} placeholder='∞'
        aria-label={inbox.capacity} title={inbox.capacity} value={capacity ?? ''}
        onChange={({ currentTarget: field }) => {
          const wanted = capacityIn(field.value)
          if (wanted === undefined) field.value = String(capacity ?? '')
          else if (wanted !== capacity) set.run({ capacity: wanted })
        }}
      />
      <span class='hidden' role='status'>{isThere ? inbox.onDuty : inbox.offDuty}</span>
      {set.error && <p class='error' role='alert'>{sentenceOf(set.error)}</p>}
    </div>
  )
}
