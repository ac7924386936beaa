import type { Talking } from '../../chat.ts'
import type { Client, Refused } from '../../client.ts'
import type { Config, OfferedForm } from '../../types.ts'
import actionsCss from './actions.css'
import { make } from '../dom.ts'
import { field } from './field.ts'
import forms from './gate.css'
import type { Say } from '../messages.ts'

/** Its styles: those of a form, too. */
export const css = forms + actionsCss
export { actionsEnglish as english } from '../../../../locales/english.ts'

/** Dependencies of the buttons and their forms. */
interface ActionsNeeds {
  say: Say
  config: Pick<Config, 'handoff'>
  talking: Talking
  call: Client['call']
  /** Something must be redrawn. */
  changed: () => void
  /** It was sent: the visitor continues elsewhere. */
  done: () => void
}

/**
 * Actions that need no message: a button for each, which opens a form. The result appears in the conversation. Visitors
 * the business vouches for are offered more than `everybody`.
 */
export function actions (into: HTMLElement, needs: ActionsNeeds) {
  const { say, talking: { chat }, call, changed } = needs
  const buttons = make('div', { class: 'asked', role: 'group', 'aria-label': say('suggestions') })
  let mine: { of: typeof chat.visitor, forms?: OfferedForm[] } | undefined
  let drawn = ''
  into.append(buttons)

  function back () {
    into.replaceChildren(buttons)
  }

  function begin (offered: OfferedForm) {
    const button = [...buttons.querySelectorAll('button')].find(({ textContent }) => textContent === offered.title)!
    const close = () => {
      back()
      button.focus()
    }
    const sent = () => {
      back()
      needs.done()
    }
    into.replaceChildren(formOf(offered, needs, sent, close, () => button.remove()))
    into.querySelector<HTMLElement>('input, select, button')!.focus()
  }

  return (everybody: OfferedForm[], isOffered: boolean) => {
    into.hidden = !isOffered
    if (chat.visitor && mine?.of !== chat.visitor) {
      const asked = mine = { of: chat.visitor } as NonNullable<typeof mine>
      call<OfferedForm[]>('GET', 'actions').then((found) => {
        asked.forms = found
        changed()
      }, () => {})
    }
    const shown = (chat.visitor && mine?.forms) ?? everybody
    const next = JSON.stringify(shown)
    if (next === drawn) return
    drawn = next
    buttons.replaceChildren(...shown.map((one) =>
      make('button', { text: one.title, dir: 'auto', click: () => begin(one) })))
    back()
  }
}

/** Asks for an action's arguments and runs it. `gone`: it was switched off while the form was open. */
function formOf (
  { id: action, title, parameters }: OfferedForm, { say, config: { handoff }, talking }: ActionsNeeds,
  sent: () => void, close: () => void, gone: () => void
): HTMLElement {
  const fields = parameters.map((parameter) => fieldOf(say, parameter))
  const fault = make('div', { class: 'bad', role: 'alert' })
  const go = make('button', { class: 'main', type: 'submit', text: say('send') })
  const form = make(
    'form', { class: 'gate', 'aria-label': title },
    make('strong', { text: title, dir: 'auto' }), ...fields.map(({ node }) => node), fault, go,
    make('button', { class: 'text', text: say('back'), click: close })
  )
  form.noValidate = true

  function complain (of: (one: (typeof fields)[number]) => string): boolean {
    const wrong = fields.filter((one) => one.complain(of(one)))
    wrong[0]?.input.focus()
    return wrong.length > 0
  }

  /** Shows what can be done instead. */
  function giveUp () {
    gone()
    fault.textContent = say('gone')
    const instead = make('button', {
      class: 'main',
      text: say(handoff ? 'ask' : 'message'),
      click () {
        sent()
        if (handoff) talking.person(say('asking'))
      }
    })
    for (const { node } of fields) node.remove()
    go.replaceWith(instead)
    instead.focus()
  }

  form.onsubmit = async (event) => {
    event.preventDefault()
    const isMissing = complain(({ input, required }) => required && input.value.trim() === '' ? say('needed') : '')
    if (isMissing || go.disabled) return
    go.disabled = true
    go.textContent = say('sending')
    fault.textContent = ''
    const given = fields.map(({ name, value }) => [name, value()] as const).filter(([, value]) => value !== '')
    try {
      await talking.tell({ action, arguments: Object.fromEntries(given) }, '/calls')
      sent()
    } catch (error) {
      const { code, details = [] } = error as Refused
      if (code === 'action_off') return giveUp()
      const isField = complain(({ name }) => details.some(({ field }) => field === `arguments.${name}`) ? say('check') : '')
      if (!isField) fault.textContent = say('failed')
    } finally {
      go.disabled = false
      go.textContent = say('send')
    }
  }
  return form
}

/** The control for an argument; `value`: as filled in. */
function fieldOf (say: Say, { name, type, description, required, enum: values, max }: OfferedForm['parameters'][number]) {
  const id = `ah-action-${name}`
  const label = description || name
  const isYes = type === 'boolean' && values.length === 0
  const input = values.length > 0
    ? make(
      'select', { id },
      make('option', { value: '', text: required ? say('choose') : '' }),
      ...values.map((value) => make('option', { value, text: value }))
    )
    : make('input', {
      id,
      dir: 'auto',
      type: isYes ? 'checkbox' : /e-?mail/i.test(name) ? 'email' : 'text',
      ...(type === 'string' ? { maxlength: String(max) } : !isYes && { inputmode: 'decimal' })
    })
  input.required = required && !isYes
  return {
    name,
    required: input.required,
    value: () => isYes ? (input as HTMLInputElement).checked : input.value.trim(),
    ...field(required || isYes ? label : say('optional', { label }), input)
  }
}
