import { safeUrl } from '../../../../platform/links.ts'
import cardCss from './card.css'
import gateCss from './gate.css'
import { linkNode } from '../../draw.ts'
import type { Asks, Config } from '../../types.ts'
import { card } from './card.ts'
import { make } from '../dom.ts'
import { field } from './field.ts'
import type { Say } from '../messages.ts'

const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@.<>()[\]\\,;:"]+(?:\.[^\s@.<>()[\]\\,;:"]+)+$/

type Rating = typeof import('../../rating/rating.ts')

/** What a visitor submits: details about themselves, or answers to what they were asked. */
type Told = { email?: string } & Record<string, unknown>

/** Creates the form; see gate. */
export type Gate = typeof gate

/** Its styles, and those of a card. */
export const css = gateCss + cardCss
export { formEnglish as english } from '../../../../locales/english.ts'

/**
 * The form before the first message: who the visitor is, and whether they consent; later an address, if nobody is
 * available to answer; the confirmation of a call, or a rating. `wanted`: which of them.
 */
export function gate (
  say: Say,
  config: Config,
  wanted: { data?: boolean, consent?: boolean } & Asks,
  done: (about: Told, where?: string) => Promise<void>
): HTMLElement {
  if (wanted.call) return card(say, wanted.call, done)
  const form = make('form', { class: 'gate' })
  if (wanted.rating) {
    import(config.files.rating).then((part: Rating) => part.rating(form, say, done), () => {})
    return form
  }
  const fields = wanted.data
    ? [fieldOf(say, 'name', 'text'), fieldOf(say, 'email', 'email'), fieldOf(say, 'phone', 'tel')]
    : wanted.email ? [fieldOf(say, 'email', 'email')] : []
  const fault = make('div', { class: 'bad', role: 'alert' })
  const button = make('button', { class: 'main', text: say(wanted.email ? 'send' : wanted.consent ? 'agree' : 'begin') })
  button.type = 'submit'
  const privacy = config.privacy_url === null ? undefined : safeUrl(config.privacy_url)
  form.append(...fields.map(({ node }) => node))
  form.noValidate = true
  if (wanted.email) form.prepend(make('strong', { text: say('where') }), make('p', { class: 'why', text: say('leave') }))
  if (wanted.consent) form.append(make('p', { class: 'consent', text: config.consent ?? '', dir: 'auto' }))
  if (privacy && !wanted.email) form.append(linkNode(privacy, [say('privacy')]))
  form.append(fault, button)

  form.onsubmit = async (event) => {
    event.preventDefault()
    if (!areRight(say, fields) || button.disabled) return
    button.disabled = true
    fault.textContent = ''
    const about = Object.fromEntries(
      fields.map(({ name, input }) => [name, input.value.trim()]).filter(([, value]) => value !== '')
    )
    try {
      await done({ ...about, ...(wanted.consent && { consent: config.consent ?? '' }) })
    } catch {
      fault.textContent = say('failed')
    } finally {
      button.disabled = false
    }
  }
  return form
}

/** A field with a place for its error. The telephone is the only optional one. */
function fieldOf (say: Say, name: 'name' | 'email' | 'phone', type: 'text' | 'email' | 'tel') {
  const id = `ah-${name}`
  const input = make('input', {
    id,
    type,
    name,
    autocomplete: type === 'text' ? name : type,
    // Otherwise "ada@" would be shown as "@ada" on a page from right to left.
    dir: 'auto',
    maxlength: name === 'email' ? '254' : '200'
  })
  input.required = name !== 'phone'
  return { name, ...field(say(name), input) }
}

/** Shows the error at each field; the first of them gets the focus. */
function areRight (say: Say, fields: Array<ReturnType<typeof fieldOf>>): boolean {
  const wrong = fields.filter(({ name, input, complain }) => {
    const value = input.value.trim()
    const isMissing = value === '' && name !== 'phone'
    const why = isMissing ? say('needed') : name === 'email' && !EMAIL.test(value) ? say('address') : ''
    return complain(why)
  })
  wrong[0]?.input.focus()
  return wrong.length === 0
}
