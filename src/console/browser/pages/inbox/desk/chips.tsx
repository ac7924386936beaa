import { useEffect, useState } from 'preact/hooks'
import { Moon } from 'lucide-preact'
import type { Conversation } from '../../../../../../schema/conversations.ts'
import { me } from '../../../session.ts'
import { fill, shownTime, texts } from '../../../texts/index.ts'
import { Badge } from '../../../ui/page.tsx'

const SECOND_MS = 1000

/** What is to be said of a conversation in a row of the list, beside who it is: nothing where nothing is. */
export function Chips ({ conversation, personOf }: { conversation: Conversation, personOf: (user: number) => string }) {
  const { desk } = texts.value
  const { priority, tags, assignee, person } = conversation
  const { snoozed_until: until, offered_to: to, offered_until: offered } = conversation
  const isOffered = to !== null && to === me.value?.user.id
  return (
    <>
      {isOffered && offered && <Offered until={offered} />}
      {priority && <Badge tone={priority === 'urgent' ? 'bad' : 'plain'}>{desk.priorities[priority]}</Badge>}
      {until && <Badge><Moon size={12} aria-hidden='true' />{fill(desk.until, { time: shownTime(until) })}</Badge>}
      {assignee !== null && assignee !== person && <Badge>{fill(desk.of, { name: personOf(assignee) })}</Badge>}
      {tags.map((tag) => <Badge key={tag}><span class='cut' dir='auto'>{tag}</span></Badge>)}
    </>
  )
}

/** That it is offered to whoever looks, and how long it still is. */
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
