import { useState } from 'preact/hooks'
import { Plus } from 'lucide-preact'
import type { Ticket } from '../../../../../schema/tickets.ts'
import { useListing } from '../../listing.ts'
import { useAgents } from '../../people.ts'
import { go, linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { shownAgo, texts } from '../../texts/index.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { More } from '../../ui/more.tsx'
import { Badge, Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { NewTicket } from './new-ticket.tsx'

const STATES = ['pending', 'sent', 'open', 'closed', 'failed'] as const
export const TONES = { pending: 'plain', sent: 'plain', open: 'accent', closed: 'good', failed: 'bad' } as const

/** All tickets, newest first. */
export default function Tickets () {
  const { tickets, nav, inbox } = texts.value
  const [status, setStatus] = useState('')
  const [agent, setAgent] = useState('')
  const [isNew, setNew] = useState(false)
  const { agents, nameOf } = useAgents()
  const list = useListing<Ticket>('/tickets', { status, agent })
  return (
    <Page
      title={nav.tickets}
      actions={
        <>
          {may('CONFIGURE_BUSINESS') && <LinkButton to='/deliveries'>{texts.value.deliveries.title}</LinkButton>}
          <Button kind='main' icon={Plus} onClick={() => setNew(true)} disabled={agents.length === 0}>
            {tickets.open}
          </Button>
        </>
      }
    >
      <div class='row'>
        <select aria-label={tickets.status} value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
          <option value=''>{tickets.anyStatus}</option>
          {STATES.map((one) => <option key={one} value={one}>{tickets.states[one]}</option>)}
        </select>
        <select aria-label={tickets.agent} value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
          <option value=''>{tickets.anyAgent}</option>
          {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </div>
      <Loaded from={list.first} lines={6}>
        {() =>
          list.items.length === 0
            ? (
              <None
                isNarrowed={status !== '' || agent !== ''}
                onAll={() => {
                  setStatus('')
                  setAgent('')
                }}
              />
              )
            : (
              <div class='card table as-list' tabIndex={0} role='region' aria-label={nav.tickets}>
                <table>
                  <thead>
                    <tr>
                      <th>{tickets.subject}</th>
                      <th>{tickets.status}</th>
                      <th>{tickets.from}</th>
                      <th>{tickets.agent}</th>
                      <th>{tickets.changed}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.items.map(({ id, subject, status: state, requester, agent: of, updated_at: at }) => (
                      <tr key={id}>
                        <td class='long' dir='auto'><a href={linkTo(`/tickets/${id}`)}>{subject}</a></td>
                        <td><Badge tone={TONES[state]}>{tickets.states[state]}</Badge></td>
                        <td dir='auto'>{requester?.name ?? requester?.email ?? inbox.nameless}</td>
                        <td dir='auto'>{nameOf(of)}</td>
                        <td class='when'>{shownAgo(at)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              )}
      </Loaded>
      <More more={list.more} />
      {isNew && <NewTicket agents={agents} onClose={() => setNew(false)} onOpened={({ id }) => go(`/tickets/${id}`)} />}
    </Page>
  )
}

/** A list without a ticket: why, and a button that leads out of filters. */
function None ({ isNarrowed, onAll }: { isNarrowed: boolean, onAll: () => void }) {
  const { tickets } = texts.value
  if (!isNarrowed) return <Empty title={tickets.empty} text={tickets.emptyText} />
  return <Empty title={tickets.nothing} text=''><Button onClick={onAll}>{tickets.all}</Button></Empty>
}
