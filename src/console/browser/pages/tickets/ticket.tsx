import { useState } from 'preact/hooks'
import draft from 'schema:tickets#TicketMessageDraft'
import type { Ticket as TicketData } from '../../../../../schema/tickets.ts'
import { failureSaid } from '../../asking/sentences.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import type { PageProps } from '../page.ts'
import { useResource, type Resource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Badge, Card, Page } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { draftOf, draftSent, keepDraft } from '../inbox/drafts.ts'
import { TONES } from './tickets.tsx'

/** A ticket: the requester, the messages, the answer, and its state. */
export default function Ticket ({ params }: PageProps) {
  const ticket = useResource<TicketData>(`/tickets/${params.id}`)
  const { tickets, nav } = texts.value
  const { data } = ticket
  const change = useAction(async (status: 'open' | 'closed') => {
    ticket.set((await api.patch<TicketData>(`/tickets/${params.id}`, { status })).data)
  })
  return (
    <Page
      title={data?.subject ?? nav.tickets}
      actions={
        <>
          <LinkButton kind='quiet' to='/tickets'>{tickets.all}</LinkButton>
          {data && data.status !== 'closed' && (
            <Button busy={change.isBusy} onClick={() => { change.run('closed') }}>{tickets.close}</Button>
          )}
          {data?.status === 'closed' && (
            <Button busy={change.isBusy} onClick={() => { change.run('open') }}>{tickets.reopen}</Button>
          )}
        </>
      }
    >
      {change.error && <Failure error={change.error} />}
      <Loaded from={ticket} lines={8}>
        {(found) => (
          <>
            <Facts ticket={found} />
            <Messages ticket={found} />
            <Requester ticket={ticket} />
            <Answer ticket={ticket} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Facts ({ ticket }: { ticket: TicketData }) {
  const { tickets, inbox } = texts.value
  const {
    status, channel, requester, conversation, external_url: url, external_id: external, error, created_at: at,
    description, id
  } = ticket
  return (
    <Card>
      <dl class='known'>
        <dt>{tickets.status}</dt>
        <dd><Badge tone={TONES[status]}>{tickets.states[status]}</Badge></dd>
        <dt>{tickets.from}</dt>
        <dd dir='auto'>{[requester?.name, requester?.email].filter(Boolean).join(', ') || inbox.nameless}</dd>
        <dt>{tickets.channel}</dt>
        <dd>
          {channel === 'email' ? tickets.byMail : channel}
          {url && (
            <>
              {' '}
              ·{' '}
              <a href={url} target='_blank' rel='noopener noreferrer'>{external ?? url}</a>
            </>
          )}
        </dd>
        <dt>{tickets.opened}</dt>
        <dd>{shownTime(at)}</dd>
        {conversation && may('REPLY_CONVERSATION') && (
          <>
            <dt>{tickets.conversation}</dt>
            <dd><a href={linkTo(`/inbox/${conversation}`)}>{tickets.toConversation}</a></dd>
          </>
        )}
        {may('CONFIGURE_BUSINESS') && (
          <>
            <dt>{texts.value.deliveries.title}</dt>
            <dd><a href={linkTo(`/deliveries?about=tickets/${id}`)}>{tickets.whatBecame}</a></dd>
          </>
        )}
      </dl>
      {error && <p class='failure'>{failureSaid(error)}</p>}
      {description && <p class='said-text' dir='auto'>{description}</p>}
    </Card>
  )
}

function Messages ({ ticket: { messages } }: { ticket: TicketData }) {
  const { tickets } = texts.value
  if (messages.length === 0) return null
  return (
    <Card title={tickets.messages}>
      <ol class='list stack'>
        {messages.map(({ n, role, from, text, held, created_at: at }) => (
          <li key={n}>
            <p class='row quiet'>
              <span dir='auto'>{from ?? tickets.roles[role]}</span>
              <time dateTime={at}>{shownTime(at)}</time>
              {held && <Badge tone='bad'>{tickets.held}</Badge>}
            </p>
            <p class='said-text' dir='auto'>{text}</p>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** If there is no address to answer, it can be entered here. */
function Requester ({ ticket }: { ticket: Resource<TicketData> }) {
  const { tickets, ui } = texts.value
  const { id, requester, channel } = ticket.data!
  const [email, setEmail] = useState('')
  const save = useAction(async () => {
    ticket.set((await api.patch<TicketData>(`/tickets/${id}`, { requester: { email } })).data)
  })
  if (requester?.email || channel !== 'email') return null
  return (
    <Card title={tickets.whoAsks}>
      <form onSubmit={(event) => {
        event.preventDefault()
        save.run()
      }}
      >
        <Field label={tickets.requester} hint={tickets.requesterHint} error={save.errorAt('requester.email')}>
          <input type='email' required value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
        </Field>
        {save.error && save.error.details.length === 0 && <Failure error={save.error} />}
        <div class='actions'><Button type='submit' busy={save.isBusy}>{ui.save}</Button></div>
      </form>
    </Card>
  )
}

function Answer ({ ticket }: { ticket: Resource<TicketData> }) {
  const { tickets, ui } = texts.value
  const { id } = ticket.data!
  const key = `ticket:${id}`
  const { text } = draftOf(key)
  const send = useAction(async () => {
    ticket.set((await api.post<TicketData>(`/tickets/${id}/messages`, { text })).data)
    draftSent(key, text)
    toast(tickets.answered)
  })
  return (
    <Card title={tickets.answer}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send.run()
        }}
      >
        <textarea
          aria-label={tickets.answer}
          required
          value={text}
          maxLength={schemaAt(draft, 'text').maxLength}
          readOnly={send.isBusy}
          onInput={(event) => keepDraft(key, { text: event.currentTarget.value })}
        />
        <p class='hint'>{tickets.answerHint}</p>
        {send.error && <Failure error={send.error} />}
        <div class='actions'>
          <Button kind='main' type='submit' busy={send.isBusy} disabled={text.trim() === ''}>{ui.send}</Button>
        </div>
      </form>
    </Card>
  )
}
