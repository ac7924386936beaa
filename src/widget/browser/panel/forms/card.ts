import type { AskedCall } from '../../types.ts'
import { make } from '../dom.ts'
import type { Say } from '../messages.ts'

/**
 * An agent's pending call with its arguments, as stored on the server: confirmed or refused by a button that names
 * exactly it.
 */
export function card (
  say: Say, { id, title, digest, arguments: given }: AskedCall,
  done: (about: Record<string, string>, where: string) => Promise<void>
): HTMLElement {
  const fault = make('div', { class: 'bad', role: 'alert' })
  const lines = given.flatMap(({ name, description, value }) => [
    make('dt', { text: description || name, dir: 'auto' }), make('dd', { text: value, dir: 'auto' })
  ])
  const button = (way: 'confirm' | 'refuse') => make('button', {
    class: way === 'confirm' ? 'main' : 'main other',
    text: say(way),
    click: () => {
      done({ digest }, `/calls/${id}/${way}`).catch(() => { fault.textContent = say('failed') })
    }
  })
  return make(
    'div', { class: 'gate', role: 'group', 'aria-label': title },
    make('strong', { text: title, dir: 'auto' }), lines.length > 0 ? make('dl', {}, ...lines) : '', fault,
    // The harmless one first.
    make('div', { class: 'pair' }, button('refuse'), button('confirm'))
  )
}
