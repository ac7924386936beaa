import { useState } from 'preact/hooks'
import { ArrowLeft, PanelRight } from 'lucide-preact'
import { linkTo } from '../../router.ts'
import { texts } from '../../texts/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { useNames } from '../../people.ts'
import { Actions } from './actions.tsx'
import { Reply } from './reply.tsx'
import { Side } from './side.tsx'
import { Thread } from './thread.tsx'
import { useSeen } from './use-seen.ts'
import { useThread } from './use-thread.ts'

/** The conversation that is open: what was said, what can be done, and what is known of the visitor. */
export function Conversation ({ id, nameOf, modelOf }: {
  id: string, nameOf: (agent: number) => string, modelOf: (agent: number, model: string) => string
}) {
  const { inbox } = texts.value
  const thread = useThread(id)
  const personOf = useNames()
  const [isSideOpen, setSideOpen] = useState(false)
  const { conversation, error, isGone, tell } = thread
  useSeen(conversation, thread.messages.at(-1)?.seq ?? 0)
  if (isGone) return <section class='inbox-talk'><Back /><Empty title={inbox.gone} text={inbox.goneText} /></section>
  if (!conversation) {
    return (
      <section class='inbox-talk'>
        <Back />
        {error
          ? <Failure error={error} retry={() => { thread.read() }} />
          : <Skeleton lines={8} />}
      </section>
    )
  }
  return (
    <>
      <section class='inbox-talk' aria-label={inbox.conversation}>
        <header class='inbox-head'>
          <Back />
          <div class='grow'>
            <h2 class='cut' dir='auto'>{conversation.subject || inbox.noSubject}</h2>
            <p class='quiet cut' dir='auto'>{standing(conversation, nameOf, personOf)}</p>
          </div>
          <Actions conversation={conversation} personOf={personOf} onChanged={tell} />
          <IconButton
            class='side-toggle'
            label={inbox.details}
            icon={PanelRight}
            aria-expanded={isSideOpen}
            onClick={() => setSideOpen(!isSideOpen)}
          />
        </header>
        {error && <Failure error={error} retry={() => { thread.read() }} />}
        <Thread thread={thread} conversation={conversation} personOf={personOf} modelOf={modelOf} />
        <Reply conversation={conversation} onSent={(message) => tell(undefined, [message])} />
      </section>
      <Side
        conversation={conversation}
        isOpen={isSideOpen}
        personOf={personOf}
        onClose={() => setSideOpen(false)}
        onChanged={() => { thread.read() }}
      />
    </>
  )
}

function Back () {
  return (
    <a class='button icon inbox-back' href={linkTo('/inbox')} aria-label={texts.value.inbox.back}>
      <ArrowLeft size={16} aria-hidden='true' />
    </a>
  )
}

/** Who answers now, in one line. */
function standing (
  {
    agent, speaker, handled_by: by, person, status, outcome, channel
  }: NonNullable<ReturnType<typeof useThread>['conversation']>,
  nameOf: (agent: number) => string,
  personOf: (user: number) => string
): string {
  const { inbox } = texts.value
  const parts = [nameOf(speaker ?? agent), inbox.channels[channel]]
  if (status === 'closed') parts.push(outcome ? `${inbox.closed}: ${inbox.outcomes[outcome]}` : inbox.closed)
  else if (by === 'person') parts.push(`${inbox.groups.person}: ${person === null ? '' : personOf(person)}`)
  else parts.push(inbox.groups[by])
  return parts.join(' · ')
}
