import { useState } from 'preact/hooks'
import { ArrowLeft, PanelRight } from 'lucide-preact'
import type { Called } from '../../../../platform/visitor-name.ts'
import type { Refused } from '../../api.ts'
import { calling } from '../../calling/unread.ts'
import { linkTo } from '../../router.ts'
import { me } from '../../session.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { Face } from '../../own/face.tsx'
import { Empty, Failure } from '../../ui/states.tsx'
import { short } from '../../ui/tab.ts'
import { calledIn, useVisitor } from '../../people.ts'
import { Actions } from './actions.tsx'
import { Onlookers } from './desk/onlookers.tsx'
import { useHere } from './desk/previews.ts'
import { Composer } from './writing/composer.tsx'
import { useNotes } from './shown/noted.tsx'
import { TalkSkeleton } from './shown/skeletons.tsx'
import { Side } from './side.tsx'
import { Thread } from './thread.tsx'
import { useSeen } from './use-seen.ts'
import { useThread } from './use-thread.ts'

/** The open conversation: its messages, available actions, and what is known about the visitor. */
export function Conversation ({ id, nameOf, personOf, modelOf }: {
  id: string
  nameOf: (agent: number) => string
  personOf: (user: number) => string
  modelOf: (agent: number, model: string) => string
}) {
  const { inbox } = texts.value
  const thread = useThread(id)
  const [isSideOpen, setSideOpen] = useState(false)
  const { conversation, error, isGone, tell } = thread
  const visitor = useVisitor(conversation?.visitor ?? null)
  const notes = useNotes(id)
  const seen = useSeen(conversation, thread.messages.at(-1)?.seq ?? 0)
  if (isGone) return <section class='inbox-talk'><Back /><Empty title={inbox.gone} text={inbox.goneText} /></section>
  if (!conversation) return <Missing error={error} retry={() => { thread.read() }} />
  return (
    <>
      <section class='inbox-talk' aria-label={inbox.conversation}>
        <Head
          {...{ conversation, visitor, nameOf, personOf, isSideOpen }} onChanged={tell}
          onSide={() => setSideOpen(!isSideOpen)}
        />
        {error && <Failure error={error} retry={() => { thread.read() }} />}
        <Thread
          thread={thread} notes={notes.data} conversation={conversation} seen={seen} visitor={visitor} nameOf={nameOf}
          personOf={personOf} modelOf={modelOf}
        />
        <Composer
          conversation={conversation}
          values={{
            visitor: visitor?.name ?? undefined,
            person: me.value!.user.name,
            agent: nameOf(conversation.speaker ?? conversation.agent)
          }}
          onSent={(message) => tell(undefined, [message])}
        />
      </section>
      <Side
        conversation={conversation}
        notes={notes}
        isOpen={isSideOpen}
        personOf={personOf}
        onClose={() => setSideOpen(false)}
        onChanged={() => { thread.read() }}
      />
    </>
  )
}

/** The header: the visitor, who else is viewing it, and available actions. */
function Head ({ conversation, visitor, nameOf, personOf, isSideOpen, onSide, onChanged }: {
  conversation: NonNullable<ReturnType<typeof useThread>['conversation']>
  visitor: Called | undefined
  nameOf: (agent: number) => string
  personOf: (user: number) => string
  isSideOpen: boolean
  onSide: () => void
  onChanged: ReturnType<typeof useThread>['tell']
}) {
  const { inbox } = texts.value
  const isHere = useHere(conversation.id)
  return (
    <header class='inbox-head'>
      <Back />
      <Face id={conversation.visitor ?? conversation.id} name={visitor?.name} isHere={isHere} />
      <div class='inbox-who'>
        <h2 dir='auto'>{calledIn(conversation, visitor)}</h2>
        <div class='under'>
          <Onlookers id={conversation.id} holder={conversation.person} personOf={personOf} />
          <p class='quiet cut' dir='auto'>{standing(conversation, nameOf, personOf)}</p>
        </div>
      </div>
      <button
        type='button' class='inbox-name' aria-label={inbox.details} aria-expanded={isSideOpen}
        onClick={onSide}
      />
      <Actions
        conversation={conversation} name={calledIn(conversation, visitor)} personOf={personOf} onChanged={onChanged}
      />
      <IconButton
        class='side-toggle'
        label={inbox.details}
        icon={PanelRight}
        aria-expanded={isSideOpen}
        onClick={onSide}
      />
    </header>
  )
}

/** The placeholder while it is loading. */
function Missing ({ error, retry }: { error: Refused | undefined, retry: () => void }) {
  return (
    <section class='inbox-talk'>
      {error
        ? <><Back /><Failure error={error} retry={retry} /></>
        : <TalkSkeleton><Back /></TalkSkeleton>}
    </section>
  )
}

function Back () {
  return (
    <a class='button icon inbox-back' href={linkTo('/inbox')}>
      <ArrowLeft size={16} aria-hidden='true' /><span class='hidden'>{texts.value.inbox.back}</span>
      {calling.value > 0 && <span class='badge accent count' aria-hidden='true'>{short(calling.value)}</span>}
    </a>
  )
}

/** Who answers now, in one line: what may be cut off at its end matters least. */
function standing (
  {
    agent, speaker, handled_by: by, person, status, outcome, channel
  }: NonNullable<ReturnType<typeof useThread>['conversation']>,
  nameOf: (agent: number) => string,
  personOf: (user: number) => string
): string {
  const { inbox, writing } = texts.value
  const parts: string[] = []
  if (status === 'closed') parts.push(outcome ? labelled(inbox.closed, inbox.outcomes[outcome]) : inbox.closed)
  else if (by === 'person' && person === me.value!.user.id) parts.push(inbox.groups.mine)
  else if (by === 'person') parts.push(fill(writing.heldBy, { name: person === null ? '' : personOf(person) }))
  else parts.push(by === 'queue' ? inbox.waits : inbox.groups[by])
  return [...parts, nameOf(speaker ?? agent), inbox.channels[channel]].filter((one) => one !== '').join(' · ')
}
