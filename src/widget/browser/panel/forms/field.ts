import { make } from '../dom.ts'

/** A field with its label and a place for its error; `complain` without a text clears it. */
export function field (label: string, input: HTMLInputElement | HTMLSelectElement) {
  const fault = make('div', { class: 'bad', id: `${input.id}-fault` })
  input.setAttribute('aria-describedby', fault.id)
  return {
    input,
    node: make('div', { class: 'field' }, make('label', { for: input.id, text: label, dir: 'auto' }), input, fault),
    complain (why: string): boolean {
      fault.textContent = why
      input.setAttribute('aria-invalid', String(why !== ''))
      return why !== ''
    }
  }
}
