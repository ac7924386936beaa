import { paletteKeys } from '../../../keys.ts'
import { texts } from '../../../texts/index.ts'
import { Dialog } from '../../../ui/dialog.tsx'

/** Every key of the inbox, and what it does. */
export const KEYS = [
  ['j', 'next'], ['k', 'previous'], ['Enter', 'open'], ['x', 'choose'], ['r', 'reply'], ['n', 'note'], ['t', 'take'], ['a', 'assign'],
  ['l', 'sort'], ['s', 'snooze'], ['e', 'close'], ['z', 'undo'], ['/', 'saved'], ['Esc', 'leave'], ['?', 'keys'],
  ['Ctrl K', 'palette']
] as const

/** A key, as the reader's keyboard labels it. */
export function keyCalled (key: string): string {
  return key === 'Ctrl K' ? paletteKeys() : (texts.value.ui.keys as Record<string, string>)[key] ?? key
}

/** Opens the dialog. */
export function KeysDialog ({ onClose }: { onClose: () => void }) {
  const { desk } = texts.value
  return (
    <Dialog title={desk.keys} onClose={onClose}>
      <dl class='keys'>
        {KEYS.map(([key, what]) => [
          <dt key={`${what} key`}><kbd>{keyCalled(key)}</kbd></dt>, <dd key={what}>{desk.does[what]}</dd>
        ])}
      </dl>
    </Dialog>
  )
}
