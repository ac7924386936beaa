import { Bell, BellOff } from 'lucide-preact'
import { tryBell } from '../../calling/call.ts'
import { askLeave, isWanted, leave, want } from '../../calling/desktop.ts'
import { endPush, isPushed, keepPushed } from '../../calling/push.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { IconButton } from '../../ui/button.tsx'

/** The button that turns on calls in this browser. Permission is not requested before it is clicked. */
export function Calls () {
  const { calls } = texts.value
  const isOn = isWanted.value
  const change = useAction(async () => {
    want(!isOn)
    if (isOn) return await endPush()
    tryBell()
    await askLeave()
    await keepPushed()
  })
  return (
    <IconButton
      label={isOn ? calls.off : calls.on}
      icon={isOn ? Bell : BellOff}
      aria-pressed={isOn}
      aria-busy={change.isBusy}
      onClick={() => { change.run() }}
    />
  )
}

/** What to do if the browser shows no notifications although they are wanted, or none once the console is closed. */
export function CallsHint () {
  const { calls } = texts.value
  if (!isWanted.value) return null
  if (leave.value === 'granted') {
    return isPushed.value === false ? <p class='hint' role='status'>{calls.notClosed}</p> : null
  }
  const text = { denied: calls.denied, default: calls.undecided, none: calls.unsupported }[leave.value]
  return <p class='hint' role='status'>{text}</p>
}
