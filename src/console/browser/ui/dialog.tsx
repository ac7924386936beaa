import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { X } from 'lucide-preact'
import { path } from '../router.ts'
import { texts } from '../texts/index.ts'
import type { Action } from './action.ts'
import { Button, IconButton } from './button.tsx'
import { Failure } from './states.tsx'

/**
 * A dialog over the page. Escape and the cross close it, if there is `onClose`; they ask before what was typed into a
 * form is lost.
 */
export function Dialog ({
  title, onClose, children, wide = false
}: {
  title: string, onClose?: () => void, children: ComponentChildren, wide?: boolean
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const isTyped = useRef(false)

  async function close () {
    const { leave: title, leaveText: text, leaveVerb: verb, stay } = texts.value.ui
    const isLoss = isTyped.current && ref.current!.querySelector('form')
    if (!isLoss || await confirm({ title, text, verb, stay })) onClose!()
  }

  // Immediately: the next key press belongs to the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement as HTMLElement | null
    if (!dialog.open) dialog.showModal()
    // Who opens a form begins in its first field, not at the cross above it.
    ;(dialog.querySelector('form')?.elements[0] as HTMLElement | undefined)?.focus()
    return () => {
      dialog.close()
      // The browser restores the focus only if the dialog is still in the page when it closes.
      before?.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        if (onClose) close()
      }}
      onInput={({ target }) => {
        isTyped.current ||= (target as HTMLElement).matches('textarea, input:not([type=checkbox], [type=radio])')
      }}
    >
      <header>
        <h2>{title}</h2>
        {onClose && <IconButton label={texts.value.ui.close} icon={X} onClick={() => { close() }} />}
      </header>
      {children}
    </dialog>
  )
}

/**
 * A form in a dialog: its fields, refusals that concern no field, and two buttons. `verb`: the label of the submit
 * button, "Save" by default.
 */
export function FormDialog ({
  title, action, onClose, children, verb = texts.value.ui.save, disabled = false, wide = false
}: {
  title: string
  action: Pick<Action<[]>, 'run' | 'isBusy' | 'error'>
  onClose: () => void
  children: ComponentChildren
  verb?: string
  disabled?: boolean
  wide?: boolean
}) {
  const { run, isBusy, error } = action
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        {children}
        {error && error.details.length === 0 && <Failure error={error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{texts.value.ui.cancel}</Button>
          <Button kind='main' type='submit' busy={isBusy} disabled={disabled}>{verb}</Button>
        </footer>
      </form>
    </Dialog>
  )
}

/** A confirmation that says what is lost; the button is labelled with the verb. */
export interface Question { title: string, text: string, verb: string, stay?: string }

const asked = signal<(Question & { answer: (yes: boolean) => void }) | undefined>(undefined)

/** Asks before something is lost; true if confirmed. Navigating away meanwhile counts as no. */
export async function confirm (question: Question): Promise<boolean> {
  const here = path.value
  return await new Promise<boolean>((resolve) => {
    const answer = (yes: boolean) => {
      stop()
      if (asked.value?.answer === answer) asked.value = undefined
      resolve(yes)
    }
    const stop = path.subscribe((now) => { if (now !== here) answer(false) })
    asked.value = { ...question, answer }
  })
}

/** Renders the question; once in the page. */
export function Confirmation () {
  const question = asked.value
  if (!question) return null
  return (
    <Dialog title={question.title} onClose={() => question.answer(false)}>
      <p>{question.text}</p>
      <footer>
        <Button autofocus onClick={() => question.answer(false)}>{question.stay ?? texts.value.ui.cancel}</Button>
        <Button kind='bad' onClick={() => question.answer(true)}>{question.verb}</Button>
      </footer>
    </Dialog>
  )
}
