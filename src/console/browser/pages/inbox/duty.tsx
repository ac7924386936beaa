import type { Duty as DutyState } from '../../../../../schema/handoff.ts'
import { api } from '../../api.ts'
import { isLive } from '../../live.ts'
import { useResourceOf } from '../../resource.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { sentenceOf } from '../../ui/states.tsx'

const CHOICES = { console: null, on: true, off: false } as const
type Choice = keyof typeof CHOICES

/** Whether one is there for visitors: as long as the console is open, always, or not at all. */
export function Duty () {
  const { inbox } = texts.value
  const duty = useResourceOf(async () => await api.get<DutyState>('/me/duty'), `duty:${isLive.value}`)
  const set = useAction(async (choice: Choice) => {
    const { data } = await api.put<DutyState>('/me/duty', { on: CHOICES[choice] })
    duty.set(data)
  })
  if (!duty.data) return null
  const { on, is_on_duty: isThere, is_open: isOpen } = duty.data
  const chosen = (Object.keys(CHOICES) as Choice[]).find((choice) => CHOICES[choice] === on)
  return (
    <div class='duty'>
      <span class={isThere ? 'dot good' : 'dot'} aria-hidden='true' />
      <select
        aria-label={inbox.duty}
        value={chosen}
        aria-busy={set.isBusy}
        title={isOpen ? undefined : inbox.outsideHours}
        onChange={(event) => { set.run(event.currentTarget.value as Choice) }}
      >
        {(Object.keys(CHOICES) as Choice[]).map((choice) => (
          <option key={choice} value={choice}>{inbox.duties[choice]}</option>
        ))}
      </select>
      <span class='hidden' role='status'>{isThere ? inbox.onDuty : inbox.offDuty}</span>
      {set.error && <p class='error' role='alert'>{sentenceOf(set.error)}</p>}
    </div>
  )
}
