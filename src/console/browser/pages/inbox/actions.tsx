import { useState } from 'preact/hooks'
import { Bot, Moon, Tag, UserRoundPlus } from 'lucide-preact'
import type { Conversation } from '../../../../../schema/conversations.ts'
import { api } from '../../api.ts'
import { useKey } from '../../keys.ts'
import { go } from '../../router.ts'
import { me } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import { AssignDialog } from './desk/assign.tsx'
import { close } from './desk/closing.ts'
import { focusReply, focusRow } from './desk/moving.ts'
import { SnoozeDialog } from './desk/snooze.tsx'
import { SortDialog } from './desk/sort.tsx'

/** What can be done with a conversation as it stands: take over, give back, close, take up again. */
export function Actions ({ conversation, name, personOf, onChanged }: {
  conversation: Conversation
  /** Who is in it, or what it is about. */
  name: string
  personOf: (user: number) => string
  onChanged: (conversation: Conversation) => void
}) {
  const { inbox, desk } = texts.value
  const { id, status, handled_by: by, person } = conversation
  const isOpen = status !== 'closed'
  const isMine = by === 'person' && person === me.value!.user.id
  const act = useAction(async (verb: string, body: object = {}) => {
    onChanged((await api.post<Conversation>(`/conversations/${id}/${verb}`, body)).data)
    if (verb === 'takeover') focusReply()
  })
  const reopen = useAction(async () => {
    onChanged((await api.patch<Conversation>(`/conversations/${id}`, { status: 'open' })).data)
  })
  const error = act.error ?? reopen.error

  async function takeOver () {
    if (by !== 'person' || person === null) return await act.run('takeover')
    const text = fill(inbox.takeFromText, { name: personOf(person) })
    if (await confirm({ title: inbox.takeFrom, text, verb: inbox.takeOver })) {
      await act.run('takeover', { from: person })
    }
  }

  /** The list is where one goes on. */
  function closeThis () {
    close([id], name)
    go('/inbox')
    requestAnimationFrame(focusRow)
  }

  useKey('t', desk.does.take, () => { takeOver() }, { isOn: isOpen && !isMine })
  useKey('e', desk.does.close, closeThis, { isOn: isOpen })
  return (
    <div class='actions'>
      {isOpen && <Sorting conversation={conversation} onChanged={onChanged} />}
      {isOpen && !isMine && (
        <Button kind={by === 'queue' ? 'main' : 'plain'} busy={act.isBusy} onClick={() => { takeOver() }}>
          {inbox.takeOver}
        </Button>
      )}
      {isOpen && isMine && (
        <IconButton
          label={inbox.release} icon={Bot} aria-busy={act.isBusy} onClick={() => { act.run('release') }}
        />
      )}
      {isOpen
        ? <Button onClick={closeThis}>{inbox.close}</Button>
        : <Button busy={reopen.isBusy} onClick={() => { reopen.run() }}>{inbox.reopen}</Button>}
      {error && <Failure error={error} />}
    </div>
  )
}

/** Whose it is, under which words it is found and until when it is put off. */
function Sorting ({ conversation, onChanged }: {
  conversation: Conversation, onChanged: (conversation: Conversation) => void
}) {
  const { desk } = texts.value
  const [shown, show] = useState<'assign' | 'sort' | 'snooze'>()
  const isAsleep = conversation.snoozed_until !== null
  const maySnooze = conversation.handled_by !== 'queue'
  useKey('a', desk.does.assign, () => show('assign'))
  useKey('l', desk.does.sort, () => show('sort'))
  useKey('s', desk.does.snooze, () => show('snooze'), { isOn: maySnooze })
  const close = () => show(undefined)
  return (
    <>
      <IconButton label={desk.assign} icon={UserRoundPlus} onClick={() => show('assign')} />
      <IconButton label={desk.sort} icon={Tag} onClick={() => show('sort')} />
      {maySnooze && (
        <IconButton
          class={isAsleep ? 'pressed' : ''} label={desk.snooze} icon={Moon} onClick={() => show('snooze')}
        />
      )}
      {shown === 'assign' && <AssignDialog conversation={conversation} onClose={close} onChanged={onChanged} />}
      {shown === 'sort' && <SortDialog conversation={conversation} onClose={close} onChanged={onChanged} />}
      {shown === 'snooze' && <SnoozeDialog conversation={conversation} onClose={close} onChanged={onChanged} />}
    </>
  )
}
