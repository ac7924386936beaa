import css from './gate.css'
import { linkNode } from '../draw.ts'
import { safeUrl } from '../markdown.ts'
import type { Config } from '../types.ts'
import { make } from './dom.ts'
import type { Say } from './messages.ts'

const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Makes the form; see gate. */
export type Gate = typeof gate

/** Its style. */
export function gateStyle (): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  return sheet
}

/** What is asked before the first message: who the visitor is, and whether they agree. `wanted`: which of the two. */
export function gate (
  say: Say,
  config: Config,
  wanted: { data: boolean, consent: boolean },
  done: (about: Record<string, string>) => Promise<void>
): HTMLElement {
  const field = (name: 'name' | 'email' | 'phone', type: string, autocomplete: string) => {
    const input = make('input', {
      id: `ah-${name}`,
      type,
      name,
      autocomplete,
      maxlength: name === 'email' ? '254' : '200',
      'aria-describedby': `ah-${name}-fault`
    })
    if (name !== 'phone') input.required = true
    const fault = make('div', { class: 'bad', id: `ah-${name}-fault` })
    return {
      name,
      input,
      fault,
      node: make('div', { class: 'field' }, make('label', { for: `ah-${name}`, text: say(name) }), input, fault)
    }
  }
  const fields = wanted.data
    ? [field('name', 'text', 'name'), field('email', 'email', 'email'), field('phone', 'tel', 'tel')]
    : []
  const fault = make('div', { class: 'bad', role: 'alert' })
  const button = make('button', { class: 'main', text: say(wanted.consent ? 'agree' : 'begin') })
  button.type = 'submit'
  const privacy = config.privacy_url === null ? undefined : safeUrl(config.privacy_url)
  const form = make('form', { class: 'gate' }, ...fields.map(({ node }) => node))
  form.noValidate = true
  if (wanted.consent) form.append(make('p', { class: 'consent', text: config.consent ?? '', dir: 'auto' }))
  if (privacy) form.append(linkNode(privacy, [say('privacy')]))
  form.append(fault, button)

  /** Says at each field what is wrong with it; the first of them is gone to. */
  function isRight (): boolean {
    const wrong = fields.filter(({ name, input, fault: at }) => {
      const value = input.value.trim()
      const why =
        value === '' && name !== 'phone' ? say('needed') : name === 'email' && !EMAIL.test(value) ? say('address') : ''
      at.textContent = why
      input.setAttribute('aria-invalid', String(why !== ''))
      return why !== ''
    })
    wrong[0]?.input.focus()
    return wrong.length === 0
  }

  form.onsubmit = async (event) => {
    event.preventDefault()
    if (!isRight() || button.disabled) return
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
