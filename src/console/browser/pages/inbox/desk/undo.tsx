import { fill, texts } from '../../../texts/index.ts'
import { Button } from '../../../ui/button.tsx'
import { Failure } from '../../../ui/states.tsx'
import { useKey } from '../../../keys.ts'
import { closeNow, closing, undoClosing } from './closing.ts'
import { focusRow } from './moving.ts'

/** What was just closed, with a button to undo it. */
export function Undo () {
  const { desk } = texts.value
  const now = closing.value
  /** Its buttons disappear with it: focus moves to the list. */
  function then (act: () => void) {
    act()
    requestAnimationFrame(focusRow)
  }

  useKey('z', desk.undo, () => then(undoClosing), { isOn: now !== undefined })
  return (
    <div role='status'>
      {now && (
        <div class='undo'>
          <span class='grow cut' dir='auto'>
            {now.ids.length > 1
              ? fill(desk.closedMany, { count: now.ids.length })
              : fill(desk.closed, { name: now.name })}
          </span>
          <span class='row'>
            <Button kind='quiet' onClick={() => then(() => { closeNow(true) })}>{desk.answered}</Button>
            <Button kind='quiet' onClick={() => then(undoClosing)}>{desk.undo} <kbd>Z</kbd></Button>
          </span>
          {now.error && <Failure error={now.error} retry={() => { closeNow() }} />}
        </div>
      )}
    </div>
  )
}
