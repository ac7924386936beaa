import { duty, setDuty } from '../../calling/duty.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { sentenceOf } from '../../ui/states.tsx'

/**
 * The availability switch. Turned on, it holds while the console is open; "always", and for how many at once, is set in
 * the user menu.
 */
export function Duty () {
  const { inbox } = texts.value
  const set = useAction(async (isOn: boolean) => await setDuty({ on: isOn ? null : false }))
  if (!duty.value) return null
  const { on, is_on_duty: isThere, is_open: isOpen } = duty.value
  const outside = isOpen ? undefined : inbox.outsideHours
  return (
    <label class='duty' title={outside}>
      <span class='quiet' aria-hidden='true'>{inbox.present[isThere ? 'there' : 'away']}</span>
      <input
        type='checkbox' role='switch' aria-label={inbox.duty} checked={on !== false} aria-busy={set.isBusy}
        onChange={({ currentTarget: field }) => { set.run(field.checked) }}
      />
      <span class='hidden' role='status'>{isThere ? inbox.onDuty : [outside, inbox.offDuty].filter(Boolean).join(' ')}</span>
      {set.error && <p class='error' role='alert'>{sentenceOf(set.error)}</p>}
    </label>
  )
}
