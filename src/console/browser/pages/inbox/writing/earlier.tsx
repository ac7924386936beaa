import type { Conversation } from '../../../../../../schema/conversations.ts'
import type { Ticket } from '../../../../../../schema/tickets.ts'
import { useResource } from '../../../resource.ts'
import { linkTo } from '../../../router.ts'
import { may } from '../../../session.ts'
import { shownAgo, texts } from '../../../texts/index.ts'

/** Maximum shown per visitor; searching the list for the visitor shows all. */
const SHOWN = 6

/** A visitor's other conversations, newest first. */
export function Earlier ({ id, visitor }: { id: string, visitor: string }) {
  const { inbox, writing } = texts.value
  const { data = [] } = useResource<Conversation[]>('/conversations', { visitor, limit: SHOWN + 1 })
  const others = data.filter((one) => one.id !== id).slice(0, SHOWN)
  if (others.length === 0) return null
  return (
    <section class='stack'>
      <h3>{writing.earlier}</h3>
      <ul class='plain'>
        {others.map((one) => (
          <li key={one.id}>
            <a class='past' href={linkTo(`/inbox/${one.id}`)}>
              <span class='cut' dir='auto'>{one.subject || inbox.noSubject}</span>
              <span class='quiet'>
                {one.status === 'closed' ? inbox.closed : inbox.groups[one.handled_by]}
                {' · '}{shownAgo(one.last_message_at ?? one.created_at)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A conversation's ticket, by its subject. */
export function TicketLine ({ id }: { id: string }) {
  return may('CREATE_TICKET') ? <NamedTicket id={id} /> : <span class='quiet'>{texts.value.inbox.tickets}</span>
}

function NamedTicket ({ id }: { id: string }) {
  const { tickets: { states }, inbox } = texts.value
  const { data } = useResource<Ticket>(`/tickets/${id}`)
  return (
    <a class='past' href={linkTo(`/tickets/${id}`)}>
      <span class='cut' dir='auto'>{data?.subject || inbox.tickets}</span>
      {data && <span class='quiet'>{states[data.status]} · {shownAgo(data.created_at)}</span>}
    </a>
  )
}
