import { safeUrl } from '../../../platform/links.ts'
import css from './gate.css'
import { linkNode } from '../draw.ts'
import type { Asks, Config } from '../types.ts'
import { card } from './card.ts'
import { make } from './dom.ts'
import { field } from './field.ts'
import type { Say } from './messages.ts'

const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Makes the form; see gate. */
export type Gate = typeof gate

export { css }
export { formEnglish as english } from '../texts.ts'

/**
 * What is asked before the first message: who the visitor is, and whether they agree; later an address, where nobody is
 * there to answer; or to confirm what an agent is to do. `wanted`: which of them.
 */
export function gate (
  say: Say,
  config: Config,
  wanted: { data?: boolean, consent?: boolean } & Asks,
  done: (about: Record<string, string>, where?: string) => Promise<void>
): HTMLElement {
  if (wanted.call) return card(say, wanted.call, done)
  const fields = wanted.data
    ? [fieldOf(say, 'name', 'text'), fieldOf(say, 'email', 'email'), fieldOf(say, 'phone', 'tel')]
    : wanted.email ? [fieldOf(say, 'email', 'email')] : []
  const fault = make('div', { class: 'bad', role: 'alert' })
  const button = make('button', { class: 'main', text: say(wanted.email ? 'send' : wanted.consent ? 'agree' : 'begin') })
  button.type = 'submit'
  const privacy = config.privacy_url === null ? undefined : safeUrl(config.privacy_url)
  const form = make('form', { class: 'gate' }, ...fields.map(({ node }) => node))
  form.noValidate = true
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

/** A field, and where it is said what is wrong with it. The telephone is the only one that may stay empty. */
function fieldOf (say: Say, name: 'name' | 'email' | 'phone', type: 'text' | 'email' | 'tel') {
  const id = `ah-${name}`
  const input = make('input', {
    id,
    type,
    name,
    autocomplete: type === 'text' ? name : type,
    maxlength: name === 'email' ? '254' : '200'
  })
  input.required = name !== 'phone'
  return { name, ...field(say(name), input) }
}

/** Says at each field what is wrong with it; the first of them is gone to. */
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
