import { useEffect, useState } from 'preact/hooks'
import { Moon } from 'lucide-preact'
import type { Conversation } from '../../../../../../schema/conversations.ts'
import { me } from '../../../session.ts'
import { shownFor, shownIn } from '../../../texts/clocks.ts'
import { fill, region, texts } from '../../../texts/index.ts'
import { listTexts } from '../../../texts/list/index.ts'
import { Badge } from '../../../ui/page.tsx'

const SECOND_MS = 1000

/** The chips of a conversation in a row of the list, next to its visitor; none if there is nothing to show. */
export function Chips ({ conversation, personOf }: { conversation: Conversation, personOf: (user: number) => string }) {
  const { desk, inbox } = texts.value
  const { priority, tags, assignee, person, handled_by: by, reason } = conversation
  const { snoozed_until: until, offered_to: to, offered_until: offered } = conversation
  const isOffered = to !== null && to === me.value?.user.id
  return (
    <>
      {isOffered && offered && <Offered until={offered} />}
      <Due conversation={conversation} />
      {by === 'queue' && reason && (
        reason === 'visitor_asked' || reason === 'rule'
          // The heading above says it to those who see it.
          ? <span class='hidden'>{inbox.reasons[reason]}</span>
          : <Badge>{capital(inbox.reasons[reason])}</Badge>
      )}
      {priority && <Badge tone={priority === 'urgent' ? 'bad' : 'plain'}>{desk.priorities[priority]}</Badge>}
      {until && <Badge><Moon size={12} aria-hidden='true' />{fill(desk.until, { time: shownUntil(until) })}</Badge>}
      {assignee !== null && assignee !== person && <Whose name={personOf(assignee)} />}
      {tags.map((tag) => <Badge key={tag}><span class='cut' dir='auto'>{tag}</span></Badge>)}
    </>
  )
}

/** Whose it is; nothing where that is somebody who has left. */
function Whose ({ name }: { name: string }) {
  const { desk, ui } = texts.value
  if (name === ui.colleague) return null
  return <Badge>{name === ui.you ? desk.yours : fill(desk.of, { name })}</Badge>
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** When a reply is due, or for how long it has been overdue. */
function Due ({ conversation }: { conversation: Conversation }) {
  const { desk } = texts.value
  const { reply_due_at: due } = conversation
  if (due === null) return null
  if (isOverdue(conversation)) {
    const time = shownFor(due)
    return <Badge tone='bad'>{time === undefined ? desk.overdue : fill(listTexts().late, { time })}</Badge>
  }
  return <Badge>{fill(desk.dueIn, { time: shownIn(due) })}</Badge>
}

/** When a conversation comes back, where there is little room: "Mon, 30 Nov, 9:00". */
function shownUntil (timestamp: string): string {
  return new Intl.DateTimeFormat(region.value, {
    weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit'
  }).format(new Date(timestamp))
}

/** Whether a reply is overdue: as the server says, or by the reader's clock until it does. */
export function isOverdue ({ reply_due_at: due, overdue_at: overdue }: Conversation, now = Date.now()): boolean {
  return overdue !== null || (due !== null && Date.parse(due) <= now)
}

/** That it is offered to the reader, and for how much longer. */
function Offered ({ until }: { until: string }) {
  const { desk } = texts.value
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((Date.parse(until) - now) / SECOND_MS)
  return <Badge tone='accent'>{seconds > 0 ? fill(desk.offered, { seconds }) : desk.offeredToYou}</Badge>
}
