import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ArrowUp, Zap } from 'lucide-preact'
import { LONGEST_REPLY } from '../limits.ts'
import type { Conversation, Message } from '../../../../../../schema/conversations.ts'
import { api } from '../../../api.ts'
import { useKey } from '../../../keys.ts'
import { me } from '../../../session.ts'
import { texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Failure } from '../../../ui/states.tsx'
import { focusReply, focusRow } from '../desk/moving.ts'
import { tellTyping } from '../desk/onlookers.tsx'
import { draftOf, draftSent, keepDraft, newName } from '../drafts.ts'
import { RepliesDialog } from '../replies/dialog.tsx'
import { useReplyMenu } from '../replies/menu.tsx'
import type { Values } from '../replies/words.ts'
import { useDraft } from './draft.tsx'
import { useFiles } from './files.tsx'

const TYPING_MS = 3000

/** The form for a reply. The text stays until it has been delivered. */
export function Reply ({ conversation, values, onSent, tabs }: {
  conversation: Conversation, values: Values, onSent: (message: Message) => void, tabs: ComponentChildren
}) {
  const { inbox, ui } = texts.value
  const { id, handled_by: by, person, status } = conversation
  const key = `reply:${id}`
  const draft = draftOf(key)
  const told = useRef(0)
  const field = useRef<HTMLTextAreaElement>(null)
  const isTheirs = by === 'person' && person !== me.value!.user.id

  const files = useFiles(id)
  const drafted = useDraft(id, values.agent ?? '', draft.text, type)
  const send = useAction(async () => {
    const text = draft.text.trim()
    if (!text) return
    const name = draft.client_id ?? newName()
    keepDraft(key, { text: draft.text, client_id: name })
    const body = { text, role: 'person', client_id: name, ...(files.ids.length > 0 && { attachments: files.ids }) }
    const { data } = await api.post<Message>(`/conversations/${id}/messages`, body)
    draftSent(key, draft.text)
    files.clear()
    drafted.clear()
    onSent(data)
  })

  // After sending, the cursor is placed for the next reply.
  useEffect(() => {
    const { activeElement: at, body } = document
    // Unless the user has already switched to a note.
    const isHere = at === null || at === body || field.current?.form?.contains(at)
    if (!send.isBusy && draft.text === '' && told.current && isHere) field.current?.focus()
  }, [send.isBusy])

  function type (text: string) {
    // An edited text is a new message: under the old id it would count as a repeat.
    keepDraft(key, { text })
    tellTyping(id)
    if (by !== 'person' || isTheirs || Date.now() - told.current < TYPING_MS) return
    told.current = Date.now()
    api.post(`/conversations/${id}/typing`, { role: 'person' }).catch(() => { /* Nobody misses it. */ })
  }

  const { does } = texts.value.desk
  useKey('/', does.saved, () => {
    if (draft.text === '') type('/')
    focusReply()
  })
  const menu = useReplyMenu({ text: draft.text, spoken: conversation.language, values, put: type })

  function onKeyDown (event: KeyboardEvent) {
    if (menu.takes(event)) return event.preventDefault()
    // After writing, the user continues with the list's keys.
    if (event.key === 'Escape') return focusRow()
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    send.run()
  }

  // The placeholder says the same in an empty box.
  const hint = isTheirs && draft.text === '' ? '' : hintFor(status, by, isTheirs)
  return (
    <form
      class='inbox-reply'
      onSubmit={(event) => {
        event.preventDefault()
        send.run()
      }}
    >
      {send.error && <Failure error={send.error} retry={() => { send.run() }} />}
      {menu.list}
      <div class='composer-box'>
        {tabs}
        {drafted.strip}
        {files.strip}
        <textarea
          ref={field}
          {...menu.attributes}
          aria-label={inbox.reply}
          placeholder={isTheirs ? inbox.theirs : inbox.replyHint}
          rows={2}
          maxLength={LONGEST_REPLY}
          dir='auto'
          value={draft.text}
          readOnly={send.isBusy}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <div class='row'>
          <SavedReplies onClose={() => menu.reload()} />
          {files.button}
          {drafted.button}
          <span class={hint === texts.value.inbox.keys ? 'hint grow of-keys' : 'hint grow'}>{hint}</span>
          <Button
            kind={draft.text.trim() === '' ? 'plain' : 'main'} type='submit' busy={send.isBusy}
            disabled={draft.text.trim() === '' || files.isBusy}
          >
            {ui.send}<ArrowUp size={16} aria-hidden='true' />
          </Button>
        </div>
      </div>
    </form>
  )
}

/** Side effects of a reply. */
function hintFor (status: Conversation['status'], by: Conversation['handled_by'], isTheirs: boolean): string {
  const { inbox } = texts.value
  if (isTheirs) return inbox.theirs
  if (status === 'closed') return inbox.replyReopens
  return by === 'person' ? inbox.keys : inbox.replyTakes
}

/** Opens the saved replies, as an alternative to `/` in the box. */
function SavedReplies ({ onClose }: { onClose: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton label={texts.value.replies.title} icon={Zap} onClick={() => setOpen(true)} />
      {isOpen && <RepliesDialog onClose={() => { setOpen(false); onClose() }} />}
    </>
  )
}
