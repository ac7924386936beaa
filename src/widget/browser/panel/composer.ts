import { ATTACH, CLOSE, SEND, STOP, icon, iconButton, make } from './dom.ts'
import type { Say } from './messages.ts'

/** Maximum characters of a message, bytes of a file, and number of files. */
const LONGEST = 4000
const LARGEST = 10 * 2 ** 20
const MOST_FILES = 5
const TALLEST_PX = 140

/** The composer. */
export interface Composer {
  node: HTMLElement
  focus (): void
  /** While an answer is being generated, the button stops it instead of sending. */
  writing (isWriting: boolean): void
  /** Takes files that were dropped. */
  add (files: Iterable<File>): void
  /** Sent messages that have not arrived: stored with the draft until they have. */
  unsent (text: string): void
}

/** The draft is stored until it has arrived, even when the page is left. */
export interface Draft { get: () => string, set: (text: string) => void }

/** Creates it. */
export function composer (
  say: Say,
  {
    draft, send, typing, stop
  }: { draft: Draft, send: (text: string, files: File[]) => void, typing: (text: string) => void, stop: () => void }
): Composer {
  let files: File[] = []
  let isWriting = false
  let [sent, kept] = ['', '']
  const field = make('textarea', { rows: '1', 'aria-label': say('message'), placeholder: say('message'), dir: 'auto' })
  const chosen = make('div', { class: 'chosen' })
  const fault = make('div', { class: 'bad', role: 'alert' })
  const picker = make('input', { type: 'file', multiple: '', hidden: '' })
  const go = make('button', { class: 'go', type: 'submit' })
  const attach = iconButton(ATTACH, say('attach'), () => picker.click())
  const row = make('div', { class: 'row' }, attach, field, go)
  const node = make('form', { class: 'composer' }, chosen, fault, row, picker)
  field.value = draft.get()

  function keep () {
    const text = `${sent}\n${field.value}`.trim()
    if (text === kept) return
    kept = text
    draft.set(text)
  }

  const isEmpty = () => field.value.trim() === '' && files.length === 0

  function draw () {
    const over = [...field.value].length - LONGEST
    fault.textContent = over > 0 ? say('long', { n: over }) : ''
    const isStop = isWriting && isEmpty()
    const act = isStop ? 'stop' : 'send'
    go.ariaLabel = go.title = say(act)
    go.replaceChildren(icon(isStop ? STOP : SEND))
    go.classList.toggle('idle', !isStop && isEmpty())
    field.style.height = 'auto'
    // Before it is shown it has no height, and would stay that way.
    if (field.scrollHeight > 0) field.style.height = `${Math.min(field.scrollHeight, TALLEST_PX)}px`
    chosen.replaceChildren(
      ...files.map((file) =>
        make(
          'span',
          { class: 'file' },
          file.name,
          iconButton(CLOSE, say('remove', { name: file.name }), () => {
            files = files.filter((one) => one !== file)
            draw()
            field.focus()
          })
        )
      )
    )
  }

  function add (more: Iterable<File>) {
    const all = [...more]
    const big = all.find(({ size }) => size > LARGEST)
    const fitting = all.filter(({ size }) => size <= LARGEST)
    const isMany = files.length + fitting.length > MOST_FILES
    files = [...files, ...fitting].slice(0, MOST_FILES)
    draw()
    if (big) fault.textContent = say('big', { name: big.name })
    else if (isMany) fault.textContent = say('many')
  }

  function submit () {
    const text = field.value.trim()
    if (isEmpty() || [...text].length > LONGEST) return
    send(text || files.map(({ name }) => name).join(', '), files)
    files = []
    field.value = ''
    draw()
    field.focus()
  }

  node.onsubmit = (event) => {
    event.preventDefault()
    // Pressing Enter again does not stop the answer to what it has sent: only the button does.
    if (isWriting && isEmpty()) stop()
    else submit()
  }
  field.oninput = () => {
    keep()
    typing(field.value)
    draw()
  }
  field.onkeydown = (event) => {
    // Enter also ends input method composition.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  }
  field.onpaste = (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])]
    if (pasted.length === 0) return
    event.preventDefault()
    add(pasted)
  }
  picker.onchange = () => {
    add(picker.files ?? [])
    picker.value = ''
    field.focus()
  }
  draw()
  return {
    node,
    add,
    focus: () => field.focus({ preventScroll: true }),
    unsent (text) {
      sent = text
      keep()
    },
    writing (is) {
      if (is === isWriting) return
      isWriting = is
      draw()
    }
  }
}
