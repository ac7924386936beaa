import { Sparkles, X } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { AnswerDraft } from '../../../../../../schema/conversations.ts'
import { api } from '../../../api.ts'
import { fill, texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Failure } from '../../../ui/states.tsx'
import { focusReply } from '../desk/moving.ts'

/** Source numbers, which refer to the strip above and mean nothing to a visitor. */
const NUMBERS = /\s?\[\d+\]/g

/**
 * The answer the agent would give, put into the box for a person to review and send: never sent automatically, and
 * never replacing typed text. `strip` goes above the box, `button` below it.
 */
export function useDraft (id: string, agent: string, typed: string, put: (text: string) => void) {
  const { writing } = texts.value
  const [shown, show] = useState<AnswerDraft>()
  const ask = useAction(async () => {
    const { data } = await api.post<AnswerDraft>(`/conversations/${id}/draft`)
    const text = data.text.replaceAll(NUMBERS, '')
    put(typed.trim() === '' ? text : `${typed.trimEnd()}\n\n${text}`)
    show(data)
    focusReply()
  })
  return {
    clear: () => {
      show(undefined)
      ask.clear()
    },
    button: (
      <IconButton
        label={ask.isBusy ? writing.drafting : writing.draft} icon={Sparkles} aria-busy={ask.isBusy}
        onClick={() => { ask.run() }}
      />
    ),
    strip: (
      <>
        {ask.error && <Failure error={ask.error} />}
        {shown && (
          <div class='row drafted'>
            <strong>{fill(writing.draftBy, { agent })}</strong>
            {shown.unknown && <span class='quiet'>{writing.unknown}</span>}
            {shown.citations.map(({ n, title, url }) => url
              ? <a key={n} class='tag' href={url} target='_blank' rel='noopener noreferrer'><span class='cut' dir='auto'>{title}</span></a>
              : <span key={n} class='tag'><span class='cut' dir='auto'>{title}</span></span>)}
            <span class='grow' />
            <IconButton label={writing.hideDraft} icon={X} onClick={() => show(undefined)} />
          </div>
        )}
      </>
    )
  }
}
