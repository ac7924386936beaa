import type { Message } from '../../types.ts'
import { SEND, UP, icon, iconButton, make } from '../dom.ts'
import css from './judge.css'
import type { DrawJudge, MessageNeeds } from '../messages.ts'

export { css }
export { judgeEnglish as english } from '../../../../locales/english.ts'

/** Draws it once for each answer, and afterwards only changes. */
export const judge: DrawJudge = (into, message, needs) => {
  const update = drawn.get(into) ?? judgement(into, message, needs)
  drawn.set(into, update)
  update(message)
}

const drawn = new WeakMap<HTMLElement, (message: Message) => void>()

/** What the visitor thinks of an answer: two buttons, and a field for why it is not helpful. */
function judgement (into: HTMLElement, message: Message, { say, talking }: Pick<MessageNeeds, 'say' | 'talking'>) {
  const note = make('span')
  const field = make('input', { type: 'text', maxlength: '2000', 'aria-label': say('why'), placeholder: say('why') })
  const form = make(
    'form',
    { class: 'why' },
    field, make('button', { class: 'icon', type: 'submit', 'aria-label': say('send') }, icon(SEND))
  )
  const judge = (score: 1 | -1, comment = '') => {
    talking.judge(message, score, comment).catch(() => {
      note.className = 'bad'
      note.textContent = say('failed')
    })
  }
  const button = (score: 1 | -1) => {
    const made = iconButton(UP, say(score === 1 ? 'helpful' : 'unhelpful'), () => {
      // Pressing it again would discard the comment sent with it.
      if (made.ariaPressed !== 'true') judge(score)
    })
    return made
  }
  const [good, bad] = [button(1), button(-1)]
  form.onsubmit = (event) => {
    event.preventDefault()
    if (!field.value.trim()) return
    // The field is removed once the comment has arrived.
    bad.focus()
    judge(-1, field.value.trim())
  }
  into.append(make('span', { text: say('helped') }), good, bad, note, form)
  return ({ feedback }: Message) => {
    const isBad = feedback?.score === -1
    good.ariaPressed = String(feedback?.score === 1)
    bad.ariaPressed = String(isBad)
    form.hidden = !isBad || feedback.comment !== ''
    note.className = ''
    note.textContent = feedback && form.hidden ? say('thanks') : ''
  }
}
