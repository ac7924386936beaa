import { texts } from '../../../texts/index.ts'
import { Dialog } from '../../../ui/dialog.tsx'

/** Every key of the inbox, and what it does. */
export const KEYS = [
  ['j', 'next'], ['k', 'previous'], ['Enter', 'open'], ['x', 'choose'], ['r', 'reply'], ['n', 'note'], ['t', 'take'], ['a', 'assign'],
  ['l', 'sort'], ['s', 'snooze'], ['e', 'close'], ['z', 'undo'], ['/', 'saved'], ['Esc', 'leave'], ['?', 'keys'],
  ['Ctrl K', 'palette']
] as const

/** Shows them. */
export function KeysDialog ({ onClose }: { onClose: () => void }) {
  const { desk } = texts.value
  return (
    <Dialog title={desk.keys} onClose={onClose}>
      <dl class='keys'>
        {KEYS.map(([key, what]) => [
          <dt key={`${what} key`}><kbd>{key}</kbd></dt>, <dd key={what}>{desk.does[what]}</dd>
        ])}
      </dl>
    </Dialog>
  )
}
