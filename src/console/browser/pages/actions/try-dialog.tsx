import { useState } from 'preact/hooks'
import type { Action, ActionTried } from '../../../../../schema/actions.ts'
import { inWords } from '../../../../platform/in-words.ts'
import { api } from '../../api.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { callFailed } from './failed.ts'

/** Tries an action as a visitor: shows its request, and sends it if requested. */
export function TryDialog ({ action, onClose }: { action: Action, onClose: () => void }) {
  const { acts, ui } = texts.value
  const [given, setGiven] = useState<Record<string, string>>({})
  const [visitor, setVisitor] = useState<Record<string, string>>({})
  const [tried, setTried] = useState<ActionTried>()
  const attempt = useAction(async (live: boolean) => {
    const isSure = !live || action.effect === 'read' ||
      await confirm({ title: action.title, text: acts.sendText, verb: acts.sendNow })
    if (!isSure) return
    const filled = (all: Record<string, string>) => Object.fromEntries(Object.entries(all).filter(([, one]) => one !== ''))
    const body = { arguments: filled(given), visitor: filled(visitor), live }
    setTried((await api.post<ActionTried>(`/actions/${action.id}/test`, body)).data)
  })
  const asked = action.parameters.filter(({ from }) => from === 'model')
  const who = (['external_id', 'verified_email'] as const)
    .filter((one) => action.parameters.some(({ from }) => from === `visitor.${one}`))
  return (
    <Dialog title={action.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          attempt.run(false)
        }}
      >
        {asked.map(({ name, description }) => (
          <Field key={name} label={description || inWords(name)} error={attempt.errorAt(`arguments.${name}`)}>
            <input
              value={given[name] ?? ''}
              onInput={(event) => setGiven({ ...given, [name]: event.currentTarget.value })}
            />
          </Field>
        ))}
        {who.map((one) => (
          <Field key={one} label={acts.sources[`visitor.${one}`]}>
            <input
              value={visitor[one] ?? ''}
              onInput={(event) => setVisitor({ ...visitor, [one]: event.currentTarget.value })}
            />
          </Field>
        ))}
        {attempt.error && attempt.error.details.length === 0 && <Failure error={attempt.error} />}
        {tried && <Shown tried={tried} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.close}</Button>
          <Button busy={attempt.isBusy} onClick={() => { attempt.run(true) }}>{acts.sendNow}</Button>
          <Button kind='main' type='submit' busy={attempt.isBusy}>{acts.showRequest}</Button>
        </footer>
      </form>
    </Dialog>
  )
}

function Shown ({ tried: { request, state, message, error_code: code, result } }: { tried: ActionTried }) {
  const { acts } = texts.value
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const text = [`${request.method} ${request.url}`, ...headers, ...(request.body === null ? [] : ['', request.body])].join('\n')
  return (
    <section class='stack' aria-live='polite'>
      <pre class='code long' tabIndex={0}>{text}</pre>
      {state && <p><strong>{acts.states[state as 'done']}</strong> {state !== 'done' && callFailed({ error: message, code, isLost: state === 'unknown' })}</p>}
      {result !== null && <pre class='code long' tabIndex={0}>{result}</pre>}
    </section>
  )
}
