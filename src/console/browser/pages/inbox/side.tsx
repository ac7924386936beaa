import { Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Trash2, X } from 'lucide-preact'
import type { Conversation, Visitor } from '../../../../../schema/conversations.ts'
import type { NoteRecord } from '../../../../../schema/handoff.ts'
import { inWords } from '../../../../platform/in-words.ts'
import { api } from '../../api.ts'
import { learnVisitors } from '../../people.ts'
import { useResource, type Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { shownThere, useMinute } from '../../texts/clocks.ts'
import { languageCalled, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { WaitingCalls } from '../actions/waiting.tsx'
import { calledOf, Rights } from '../business/visitors.tsx'
import { Content } from './desk/content.tsx'
import { draftOf, draftSent, keepDraft } from './drafts.ts'
import { LONGEST_NOTE } from './limits.ts'
import { TicketDialog } from './ticket-dialog.tsx'
import { Earlier, TicketLine } from './writing/earlier.tsx'

/** The side panel: the visitor, the team's notes, tickets. */
export function Side ({
  conversation, notes, isOpen, personOf, onClose, onChanged
}: {
  conversation: Conversation
  notes: Resource<NoteRecord[]>
  isOpen: boolean
  personOf: (user: number) => string
  onClose: () => void
  onChanged: () => void
}) {
  const { inbox, replies, ui } = texts.value
  const [isOpening, setOpening] = useState(false)
  const { id, visitor, page, tickets, language: spoken } = conversation
  return (
    <aside class={isOpen ? 'inbox-side open' : 'inbox-side'} aria-label={inbox.details}>
      <header class='side-head'>
        <h3 class='grow'>{inbox.visitor}</h3>
        <span class='side-close'><IconButton label={ui.close} icon={X} onClick={onClose} /></span>
      </header>
      <section class='stack'>
        {(page || spoken) && (
          <dl class='known'>
            {page && (
              <>
                <dt>{inbox.page}</dt>
                <dd dir='auto'><a href={page.url} target='_blank' rel='noopener noreferrer'>{page.title || page.url}</a></dd>
              </>
            )}
            {spoken && (
              <Fact name={replies.language} value={languageCalled(spoken)} />
            )}
          </dl>
        )}
        {visitor === null ? <p class='quiet'>{inbox.noVisitor}</p> : <About id={visitor} onErased={async () => onChanged()} />}
      </section>
      {conversation.status === 'closed' && <Content id={id} />}
      <WaitingCalls id={id} moved={conversation.updated_at} />
      <Notes id={id} notes={notes} personOf={personOf} />
      {(tickets.length > 0 || may('CREATE_TICKET')) && (
        <section class='stack'>
          <h3>{inbox.tickets}</h3>
          {tickets.length > 0 && (
            <ul class='plain'>
              {tickets.map((one) => <li key={one}><TicketLine id={one} /></li>)}
            </ul>
          )}
          {may('CREATE_TICKET') && <Button onClick={() => setOpening(true)}>{inbox.openTicket}</Button>}
        </section>
      )}
      {visitor !== null && <Earlier id={id} visitor={visitor} />}
      {may('MANAGE_AGENTS') && <Deletion id={id} onDeleted={onChanged} />}
      {isOpening && <TicketDialog conversation={id} onClose={() => setOpening(false)} onOpened={onChanged} />}
    </aside>
  )
}

/** Deletes a conversation, for users with the permission. */
function Deletion ({ id, onDeleted }: { id: string, onDeleted: () => void }) {
  const { inbox } = texts.value
  const remove = useAction(async () => {
    if (!await confirm({ title: inbox.deleteTitle, text: inbox.deleteText, verb: inbox.delete })) return
    await api.delete(`/conversations/${id}`)
    onDeleted()
  })
  return (
    <section class='stack'>
      <div>
        <Button kind='quiet' icon={Trash2} busy={remove.isBusy} onClick={() => { remove.run() }}>{inbox.delete}</Button>
      </div>
      {remove.error && <Failure error={remove.error} />}
    </section>
  )
}

function About ({ id, onErased }: { id: string, onErased: () => Promise<void> }) {
  const { inbox } = texts.value
  const visitor = useResource<Visitor>(`/visitors/${id}`)
  // The name may be newer than what the list has loaded.
  useEffect(() => { if (visitor.data) learnVisitors([visitor.data]) }, [visitor.data])
  return (
    <Loaded from={visitor}>
      {({
        name, email, phone, external_id: external, place, time_zone: zone, verified, attributes, consent,
        created_at: first, last_seen_at: last
      }) => (
        <>
          <dl class='known'>
            <Fact name={inbox.name} value={name ?? inbox.nameless} />
            <Fact name={inbox.email} value={email} />
            <Fact name={inbox.phone} value={phone} />
            <Fact name={inbox.externalId} value={external} />
            <Fact name={inbox.place} value={place} />
            {zone && <LocalTime zone={zone} />}
            <dt>{inbox.identity}</dt>
            <dd>{verified ? <Badge tone='good'>{inbox.verified}</Badge> : inbox.notVerified}</dd>
            {Object.entries(attributes).map(([key, value]) => <Fact key={key} name={inWords(key)} value={value} />)}
            {consent && <Fact name={inbox.consent} value={shownTime(consent.at)} />}
            <Fact name={inbox.firstSeen} value={shownTime(first)} />
            <Fact name={inbox.lastSeen} value={shownTime(last)} />
          </dl>
          <div><CopyButton text={id} label={inbox.copyId} /></div>
          {may('CONFIGURE_BUSINESS') && <Rights id={id} name={calledOf({ name, email, place }) ?? inbox.visitor} onErased={onErased} />}
        </>
      )}
    </Loaded>
  )
}

/** The visitor's local time; nothing for an unknown time zone. */
function LocalTime ({ zone }: { zone: string }) {
  useMinute()
  return <Fact name={texts.value.inbox.localTime} value={shownThere(zone) ?? null} />
}

/** What is known by its name; an e-mail address that is too long for its line breaks before its @. */
function Fact ({ name, value }: { name: string, value: string | null }) {
  const parts = value?.split(/(?=@)/).map((part, at) => at === 0 ? part : <Fragment key={at}><wbr />{part}</Fragment>)
  return value ? <><dt dir='auto'>{name}</dt><dd dir='auto'>{parts}</dd></> : null
}

function Notes ({ id, notes, personOf }: {
  id: string, notes: Resource<NoteRecord[]>, personOf: (user: number) => string
}) {
  const { inbox, ui } = texts.value
  const remove = useAction(async (note: string) => {
    if (!await confirm({ title: inbox.removeNote, text: inbox.removeNoteText, verb: ui.delete })) return
    await api.delete(`/conversations/${id}/notes/${note}`)
    await notes.reload()
  })
  return (
    <section class='stack'>
      <h3>{inbox.notes}</h3>
      <Loaded from={notes}>
        {(all) =>
          all.length === 0
            ? null
            : (
              <ul class='plain stack'>
                {all.map((note) => (
                  <li key={note.id} class='note'>
                    <p class='row quiet'>
                      <span class='grow'>{personOf(note.person)} · {shownTime(note.created_at)}</span>
                      <IconButton label={inbox.removeNote} icon={Trash2} onClick={() => { remove.run(note.id) }} />
                    </p>
                    <p class='said-text' dir='auto'>{note.text}</p>
                  </li>
                ))}
              </ul>
              )}
      </Loaded>
      {remove.error && <Failure error={remove.error} />}
      <NoteForm id={id} onAdded={async () => await notes.reload()} />
    </section>
  )
}

function NoteForm ({ id, onAdded }: { id: string, onAdded: () => Promise<void> }) {
  const { inbox } = texts.value
  const key = `note:${id}`
  const { text } = draftOf(key)
  const add = useAction(async () => {
    await api.post(`/conversations/${id}/notes`, { text })
    draftSent(key, text)
    await onAdded()
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.run()
      }}
    >
      {add.error && <Failure error={add.error} />}
      <textarea
        aria-label={inbox.note}
        placeholder={inbox.noteHint}
        rows={2}
        maxLength={LONGEST_NOTE}
        value={text}
        readOnly={add.isBusy}
        onInput={(event) => keepDraft(key, { text: event.currentTarget.value })}
      />
      <div class='actions'>
        <Button type='submit' busy={add.isBusy} disabled={text.trim() === ''}>{inbox.addNote}</Button>
      </div>
    </form>
  )
}
