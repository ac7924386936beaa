import { useState } from 'preact/hooks'
import { Bot, Check, Ellipsis, Hand, Moon, Tag, UserRoundPlus } from 'lucide-preact'
import type { Conversation } from '../../../../../schema/conversations.ts'
import { api, isRefused } from '../../api.ts'
import { useKey } from '../../keys.ts'
import { go } from '../../router.ts'
import { me } from '../../session.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Face } from '../../own/face.tsx'
import { Button, IconButton, Menu, MenuItem } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import { AssignDialog } from './desk/assign.tsx'
import { close } from './desk/closing.ts'
import { focusReply, focusRow } from './desk/moving.ts'
import { SnoozeDialog } from './desk/snooze.tsx'
import { SortDialog } from './desk/sort.tsx'

/** The actions available for a conversation in its current state: take over, give back, close, reopen. */
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
  })
  const take = useTakeOver(id, personOf, onChanged)
  const reopen = useAction(async () => {
    onChanged((await api.patch<Conversation>(`/conversations/${id}`, { status: 'open' })).data)
  })
  const error = take.error ?? act.error ?? reopen.error

  const takeOver = async () => await take.run(holderOf(conversation))

  /** The user continues in the list. */
  function closeThis () {
    close([id], name)
    go('/inbox')
    requestAnimationFrame(focusRow)
  }

  useKey('t', desk.does.take, () => { takeOver() }, { isOn: isOpen && !isMine })
  useKey('e', desk.does.close, closeThis, { isOn: isOpen })
  return (
    <div class='actions'>
      {isOpen && (
        <Sorting
          conversation={conversation} personOf={personOf} onChanged={onChanged}
          release={isMine ? () => { act.run('release') } : undefined}
        />
      )}
      {isOpen && !isMine && (
        <Shrinking
          label={inbox.takeOver} kind={by === 'queue' ? 'main' : 'plain'} icon={Hand} busy={take.isBusy}
          onClick={() => { takeOver() }}
        />
      )}
      {isOpen
        ? <Shrinking label={inbox.close} icon={Check} onClick={closeThis} />
        : <Button busy={reopen.isBusy} onClick={() => { reopen.run() }}>{inbox.reopen}</Button>}
      {error && <Failure error={error} />}
    </div>
  )
}

/**
 * Takes a conversation over from its holder, if confirmed. A colleague may have been faster: then the question is about
 * them.
 */
function useTakeOver (id: string, personOf: (user: number) => string, onChanged: (conversation: Conversation) => void) {
  const { inbox } = texts.value
  async function takeFrom (holder: number | null): Promise<void> {
    if (holder !== null) {
      const text = fill(inbox.takeFromText, { name: personOf(holder) })
      if (!await confirm({ title: inbox.takeFrom, text, verb: inbox.takeOver })) return
    }
    try {
      const body = holder === null ? {} : { from: holder }
      onChanged((await api.post<Conversation>(`/conversations/${id}/takeover`, body)).data)
      focusReply()
    } catch (error) {
      if (!isRefused(error) || error.code !== 'taken_over') throw error
      const { data } = await api.get<Conversation>(`/conversations/${id}`)
      onChanged(data)
      await takeFrom(holderOf(data))
    }
  }
  return useAction(takeFrom)
}

/** The person who holds a conversation, if one does. */
const holderOf = ({ handled_by: by, person }: Conversation) => by === 'person' ? person : null

/** A button reduced to its icon where there is little room. */
function Shrinking ({ label, ...rest }: { label: string } & Omit<Parameters<typeof Button>[0], 'label'>) {
  return <Button {...rest} class='shrinking' title={label}><span class='words'>{label}</span></Button>
}

/**
 * Assignee, tags, priority and snooze; all behind one button if there is no room. `release`: gives it back to the
 * agent, if the user holds it.
 */
function Sorting ({ conversation, personOf, release, onChanged }: {
  conversation: Conversation
  personOf: (user: number) => string
  release: (() => void) | undefined
  onChanged: (conversation: Conversation) => void
}) {
  const { desk, inbox, ui } = texts.value
  const [shown, show] = useState<'assign' | 'sort' | 'snooze'>()
  const [isAsleep, maySnooze] = [conversation.snoozed_until !== null, conversation.handled_by !== 'queue']
  useKey('a', desk.does.assign, () => show('assign'))
  useKey('l', desk.does.sort, () => show('sort'))
  useKey('s', desk.does.snooze, () => show('snooze'), { isOn: maySnooze })
  const close = () => show(undefined)
  return (
    <>
      <span class='sorting'>
        <Holder conversation={conversation} personOf={personOf} onClick={() => show('assign')} />
        <IconButton label={desk.sort} icon={Tag} onClick={() => show('sort')} />
        {maySnooze && (
          <IconButton
            class={isAsleep ? 'pressed' : ''} label={desk.snooze} icon={Moon} onClick={() => show('snooze')}
          />
        )}
        {release && <IconButton label={inbox.release} icon={Bot} onClick={release} />}
      </span>
      <span class='sorting folded'>
        <Menu class='button icon' name={ui.moreActions} shown={<Ellipsis size={16} aria-hidden='true' />}>
          <MenuItem icon={UserRoundPlus} onClick={() => show('assign')}>{desk.assign}</MenuItem>
          <MenuItem icon={Tag} onClick={() => show('sort')}>{desk.sort}</MenuItem>
          {maySnooze && <MenuItem icon={Moon} onClick={() => show('snooze')}>{desk.snooze}</MenuItem>}
          {release && <MenuItem icon={Bot} onClick={release}>{inbox.release}</MenuItem>}
        </Menu>
      </span>
      {shown === 'assign' && <AssignDialog conversation={conversation} onClose={close} onChanged={onChanged} />}
      {shown === 'sort' && <SortDialog conversation={conversation} onClose={close} onChanged={onChanged} />}
      {shown === 'snooze' && <SnoozeDialog conversation={conversation} onClose={close} onChanged={onChanged} />}
    </>
  )
}

/** The assignee, and a button to reassign it. */
function Holder ({ conversation: { person, assignee }, personOf, onClick }: {
  conversation: Conversation, personOf: (user: number) => string, onClick: () => void
}) {
  const { desk } = texts.value
  const holder = person ?? assignee
  if (holder === null) return <IconButton label={desk.assign} icon={UserRoundPlus} onClick={onClick} />
  const name = personOf(holder)
  const full = holder === me.value!.user.id ? me.value!.user.name : name
  return (
    <Button class={holder === me.value!.user.id ? 'holder' : 'holder theirs'} title={desk.assign} onClick={onClick}>
      <span class='hidden'>{labelled(desk.assign, '')}</span>
      <Face id={String(holder)} name={full} size={20} /><span class='cut'>{name}</span>
    </Button>
  )
}
