import { texts } from '../texts/index.ts'
import type { Action } from './action.ts'
import { Button } from './button.tsx'
import { Failure } from './states.tsx'

/** Shows the next part of a list, if there is one. */
export function More ({ more }: { more: Action<[]> | undefined }) {
  if (!more) return null
  return (
    <div class='actions'>
      <Button busy={more.isBusy} onClick={() => { more.run() }}>{texts.value.ui.more}</Button>
      {more.error && <Failure error={more.error} />}
    </div>
  )
}
