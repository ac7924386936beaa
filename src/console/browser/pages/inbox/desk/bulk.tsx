import type { Conversation } from '../../../../../../schema/conversations.ts'
import { fill, texts } from '../../../texts/index.ts'
import { Button } from '../../../ui/button.tsx'
import { useKey } from '../../../keys.ts'
import { close, closing } from './closing.ts'

/** Whether a list shows it: not what was closed a moment ago. */
export const isShown = ({ id }: Conversation) => !closing.value?.ids.includes(id)

/** The selection with one more, or without it. */
export function toggled (chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id])
}

/** Bulk actions on the selection: `x` selects the focused row. */
export function Bulk ({ chosen, onDone }: { chosen: ReadonlySet<string>, onDone: () => void }) {
  const { desk } = texts.value
  useKey('x', desk.does.choose, () => {
    const row = document.activeElement?.closest('.choosable')
    row?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
  }, { isListed: false })
  if (chosen.size === 0) return null
  return (
    <div class='bulk'>
      <span class='grow'>{fill(desk.chosen, { count: chosen.size })}</span>
      <Button kind='quiet' onClick={onDone}>{desk.chooseNone}</Button>
      <Button
        onClick={() => {
          close([...chosen], '')
          onDone()
        }}
      >
        {desk.closeAll}
      </Button>
    </div>
  )
}
