import type { ComponentChildren } from 'preact'
import { api } from '../../../api.ts'
import { texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Failure } from '../../../ui/states.tsx'
import { focusReply, focusRow } from '../desk/moving.ts'
import { draftOf, draftSent, keepDraft } from '../drafts.ts'
import { LONGEST_NOTE } from '../limits.ts'

/** The form for a note to the team. The text stays until it has been saved. */
export function Note ({ id, tabs }: { id: string, tabs: ComponentChildren }) {
  const { inbox } = texts.value
  const key = `note:${id}`
  const { text } = draftOf(key)
  const add = useAction(async () => {
    if (text.trim() === '') return
    await api.post(`/conversations/${id}/notes`, { text })
    draftSent(key, text)
    focusReply()
  })

  function onKeyDown (event: KeyboardEvent) {
    if (event.key === 'Escape') return focusRow()
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    add.run()
  }

  return (
    <form
      class='inbox-reply'
      onSubmit={(event) => {
        event.preventDefault()
        add.run()
      }}
    >
      {add.error && <Failure error={add.error} retry={() => { add.run() }} />}
      <div class='composer-box of-note'>
        {tabs}
        <textarea
          aria-label={inbox.note} placeholder={inbox.noteHint} rows={2} maxLength={LONGEST_NOTE} dir='auto' value={text}
          readOnly={add.isBusy} onInput={(event) => keepDraft(key, { text: event.currentTarget.value })}
          onKeyDown={onKeyDown}
        />
        <div class='row'>
          <span class='hint grow'>{inbox.noteHint}</span>
          <Button type='submit' kind={text.trim() === '' ? 'plain' : 'main'} busy={add.isBusy} disabled={text.trim() === ''}>
            {inbox.addNote}
          </Button>
        </div>
      </div>
    </form>
  )
}
