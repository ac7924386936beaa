import { useState } from 'preact/hooks'
import type { Conversation } from '../../../../../../schema/conversations.ts'
import { api } from '../../../api.ts'
import { shownTime, texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Failure } from '../../../ui/states.tsx'
import { timesFrom } from './times.ts'

/** Snoozes a conversation: until a common time, or one that is typed. */
export function SnoozeDialog ({ conversation: { id, snoozed_until: until }, onClose, onChanged }: {
  conversation: Conversation, onClose: () => void, onChanged: (conversation: Conversation) => void
}) {
  const { desk, ui } = texts.value
  const [own, setOwn] = useState('')
  const snooze = useAction(async (to: Date | null) => {
    const { data } = await api.patch<Conversation>(`/conversations/${id}`, { snoozed_until: to?.toISOString() ?? null })
    onChanged(data)
    onClose()
  })
  return (
    <Dialog title={desk.snooze} onClose={onClose}>
      <p class='hint'>{desk.snoozeHint}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          snooze.run(new Date(own))
        }}
      >
        <div class='stack'>
          {until && <Button onClick={() => { snooze.run(null) }}>{desk.wake}</Button>}
          {timesFrom(new Date()).map(({ name, at }) => (
            <Button key={name} class='choice' onClick={() => { snooze.run(at) }}>
              <span class='grow'>{desk.times[name]}</span>
              <span class='quiet'>{shownTime(at.toISOString())}</span>
            </Button>
          ))}
        </div>
        <Field label={desk.ownTime} error={snooze.errorAt('snoozed_until')}>
          <input type='datetime-local' value={own} onInput={(event) => setOwn(event.currentTarget.value)} />
        </Field>
        {snooze.error && snooze.error.details.length === 0 && <Failure error={snooze.error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={snooze.isBusy} disabled={own === ''}>{desk.snoozeVerb}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
