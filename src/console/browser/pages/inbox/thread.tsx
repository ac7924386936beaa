import { Fragment } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ThumbsDown, ThumbsUp } from 'lucide-preact'
import type { Citation, Conversation, Message } from '../../../../../schema/conversations.ts'
import type { GuardNote } from '../../../../../schema/guards.ts'
import type { NoteRecord } from '../../../../../schema/handoff.ts'
import type { Called } from '../../../../platform/visitor-name.ts'
import { AgentFace, Face } from '../../own/face.tsx'
import { visitorCalled } from '../../people.ts'
import { me } from '../../session.ts'
import { shownClock, shownDay } from '../../texts/clocks.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Badge } from '../../ui/page.tsx'
import { AsQuestion } from '../questions/of-message.tsx'
import { inThread, lineAt, type Line } from './shown/in-order.ts'
import { Noted } from './shown/noted.tsx'
import { Attached } from './writing/attached.tsx'
import { useSeenByVisitor } from './use-seen.ts'
import { useWritten, type useThread } from './use-thread.ts'

const NEAR = 80

type PersonOf = (user: number) => string
type ModelOf = (agent: number, model: string) => string

/**
 * The messages, newest at the bottom, and the team's notes where they were written; the position of users who have
 * scrolled up is kept. `seen`: a line is shown above the visitor's messages after this one, until they are answered.
 */
export function Thread ({
  thread, notes = [], conversation, seen = Infinity, visitor, nameOf, personOf, modelOf
}: {
  thread: ReturnType<typeof useThread>
  /** Undefined until they were read. */
  notes: readonly NoteRecord[] | undefined
  conversation: Conversation
  seen: number | undefined
  /** The visitor's name, if known. */
  visitor: Called | undefined
  nameOf: (agent: number) => string
  personOf: PersonOf
  modelOf: ModelOf
}) {
  const { inbox } = texts.value
  const { messages, typing, earlier } = thread
  const written = useWritten(
    conversation.id, messages.findLast(({ status }) => status === 'generating')
  )
  const { firstNew, seenAt } = useMarks(conversation.id, messages, seen)
  const showEarlier = useAction(async () => await earlier?.())
  const { box, onScroll } = useKeptPlace(messages, written, typing)
  const lines = inThread(messages, notes, earlier !== undefined)
  const said = (message: Message, before: Line | undefined) => (
    <>
      {message.seq === firstNew && <li class='told-new'>{inbox.newHere}</li>}
      <Said
        message={message}
        isGoingOn={goesOn(before?.message, message)}
        written={message.status === 'generating' ? written : undefined}
        conversation={conversation}
        seenAt={seenAt(message)}
        visitor={visitor}
        agent={nameOf(conversation.speaker ?? conversation.agent)}
        personOf={personOf}
        modelOf={(model) => modelOf(conversation.speaker ?? conversation.agent, model)}
      />
    </>
  )

  return (
    <div class='inbox-thread' ref={box} onScroll={onScroll} tabIndex={0} role='region' aria-label={inbox.messages}>
      {earlier && (
        <Button kind='quiet' busy={showEarlier.isBusy} onClick={() => { showEarlier.run() }}>{inbox.earlier}</Button>
      )}
      <ol class='list'>
        {lines.map((line, at) => (
          <Fragment key={line.note ? line.note.id : line.message.seq}>
            {isAnotherDay(lines[at - 1], line) && <Day at={lineAt(line)} />}
            {line.note
              ? <Noted note={line.note} name={personOf(line.note.person)} />
              : said(line.message, lines[at - 1])}
          </Fragment>
        ))}
      </ol>
      <Typing typing={typing} conversation={conversation} visitor={visitor} personOf={personOf} />
    </div>
  )
}

/** The first message that is new to the user, and when the visitor saw one if that is to be shown below it. */
function useMarks (id: string, messages: Message[], seen: number) {
  const lastOfTeam = messages.findLast(({ role }) => role === 'person')?.seq
  const read = useSeenByVisitor(id, lastOfTeam !== undefined)
  const answered = Math.max(seen, lastOfTeam ?? 0)
  return {
    firstNew: messages.find(({ seq, role }) => role === 'visitor' && seq > answered)?.seq,
    seenAt: ({ seq }: Message) => read && seq === lastOfTeam && seq <= read.up_to ? read.at : undefined
  }
}

/** Keeps the newest message in view, or the scroll position of a user who is reading further up. */
function useKeptPlace (messages: Message[], written: unknown, typing: unknown) {
  const box = useRef<HTMLDivElement>(null)
  const place = useRef({ isAtEnd: true, top: 0, height: 0, first: 0 })

  useLayoutEffect(() => {
    const { scrollHeight } = box.current!
    const first = messages[0]?.seq ?? 0
    // Messages loaded above must not push away what is being read.
    if (first < place.current.first) box.current!.scrollTop += scrollHeight - place.current.height
    else if (place.current.isAtEnd) box.current!.scrollTop = scrollHeight
    place.current = { ...place.current, height: scrollHeight, first }
  }, [messages, written, typing])

  useLayoutEffect(() => {
    const node = box.current!
    // Content that loads late makes it longer, and a reply of several lines makes its viewport shorter.
    const watching = new ResizeObserver(() => {
      if (place.current.isAtEnd) node.scrollTop = node.scrollHeight
    })
    for (const one of [node, node.querySelector('ol')!]) watching.observe(one)
    return () => watching.disconnect()
  }, [])

  function onScroll () {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    const { isAtEnd, top } = place.current
    // Only scrolling up leaves the end: the list may have grown without anybody scrolling.
    place.current.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR || (isAtEnd && scrollTop >= top)
    place.current.top = scrollTop
  }

  return { box, onScroll }
}

/** Who is typing, by name if known, and for a visitor in a widget the text typed so far. */
function Typing ({ typing, conversation: { person }, visitor, personOf }: {
  typing: ReturnType<typeof useThread>['typing']
  conversation: Conversation
  visitor: Called | undefined
  personOf: PersonOf
}) {
  const { inbox } = texts.value
  const isTheirs = person !== null && person !== me.value!.user.id
  const name = visitorCalled(visitor)
  return (
    <>
      <p class='typing' role='status'>
        {typing?.role === 'visitor' && (name ? fill(inbox.types, { name }) : inbox.visitorTypes)}
        {typing?.role === 'person' && isTheirs && fill(inbox.types, { name: personOf(person) })}
      </p>
      {typing?.text && <p class='typed' dir='auto'>{typing.text}</p>}
    </>
  )
}

/** Milliseconds within which messages of one author are grouped, with the time shown once. */
const SPEECH_MS = 5 * 60_000

const dayOf = (line: Line) => new Date(lineAt(line)).toDateString()
const isAnotherDay = (before: Line | undefined, line: Line) => !before || dayOf(before) !== dayOf(line)

function Day ({ at }: { at: string }) {
  return <li class='told-day'><time dateTime={at}>{shownDay(at)}</time></li>
}

/** Whether the message continues the group of the one before. */
function goesOn (before: Message | undefined, message: Message): boolean {
  return before !== undefined && before.role === message.role && before.author === message.author &&
    Date.parse(message.created_at) - Date.parse(before.created_at) < SPEECH_MS &&
    !isAnotherDay({ message: before }, { message })
}

function Said ({ message, isGoingOn, written, conversation, seenAt, visitor, agent, personOf, modelOf }: {
  message: Message
  /** By the author of the message just before, so the name is not repeated. */
  isGoingOn: boolean
  written: string | undefined
  conversation: Conversation
  /** When the visitor saw it, if that is to be shown. */
  seenAt: string | undefined
  visitor: Called | undefined
  agent: string
  personOf: PersonOf
  modelOf: (model: string) => string
}) {
  const { inbox } = texts.value
  const { role, text, status, citations, feedback, attachments, unknown, model, guarded } = message
  if (role === 'system') return <li class='told system'><Markdown text={text} /></li>
  return (
    <li class={`told ${role}`}>
      <p class='row quiet'>
        <Speaker {...{ message, isGoingOn, conversation, visitor, agent, personOf }} />
        <time class={isGoingOn ? 'hidden' : ''} dateTime={message.created_at} title={shownTime(message.created_at)}>
          {shownClock(message.created_at)}
        </time>
        {model && <span>{modelOf(model)}</span>}
        {unknown && <Badge tone='bad'>{inbox.unknown}</Badge>}
        {status === 'stopped' && <Badge>{inbox.stopped}</Badge>}
        {guarded.map(({ rule, did }) => <Acted key={rule} rule={rule} did={did} />)}
      </p>
      <div class='bubble'>
        {role === 'visitor'
          ? <p class='plain' dir='auto'>{text}</p>
          : <Markdown text={written ?? text} />}
        {status === 'generating' && <p class='quiet'>{inbox.writing}</p>}
        {status === 'failed' && <p class='error'>{inbox.failed}</p>}
        {attachments.length > 0 && <Attached attachments={attachments} />}
        {citations.length > 0 && <Sources citations={citations} />}
      </div>
      {seenAt && (
        <p class='row quiet told-seen'>
          {fill(inbox.seenAt, {
            time: shownDay(seenAt) === shownDay(message.created_at) ? shownClock(seenAt) : shownTime(seenAt)
          })}
        </p>
      )}
      <AsQuestion message={message} />
      {feedback && (
        <p class='row quiet'>
          {feedback.score === 1
            ? <ThumbsUp size={14} aria-hidden='true' />
            : <ThumbsDown size={14} aria-hidden='true' />}
          <span class='hidden'>{feedback.score === 1 ? inbox.liked : inbox.disliked}</span>
          <span dir='auto'>{feedback.comment}</span>
        </p>
      )}
    </li>
  )
}

/** The author, by avatar and name; for screen readers only if the message continues a group. */
function Speaker ({ message: { role, author }, isGoingOn, conversation, visitor, agent, personOf }: {
  message: Message
  isGoingOn: boolean
  conversation: Conversation
  visitor: Called | undefined
  agent: string
  personOf: PersonOf
}) {
  const { inbox } = texts.value
  const person = role === 'person' && author !== null ? personOf(author) : undefined
  const called = visitorCalled(visitor) ?? inbox.roles.visitor
  const who = { visitor: called, agent, person: person ?? inbox.roles.person, system: '' }[role]
  if (isGoingOn) return <span class='hidden'>{who}</span>
  const team = author === me.value!.user.id ? me.value!.user.name : person
  return (
    <>
      {role === 'agent'
        ? <AgentFace size={24} />
        : (
          <Face
            id={String(role === 'visitor' ? conversation.visitor ?? conversation.id : author)} size={24}
            name={role === 'visitor' ? visitor?.name : team}
          />
          )}
      <strong dir='auto'>{who}</strong>
    </>
  )
}

/** Shows that a rule was triggered, which visitors never see. */
function Acted ({ rule, did }: GuardNote) {
  const { rules } = texts.value
  return <Badge tone='accent'>{fill(rules.acted, { rule, did: rules.did[did] })}</Badge>
}

function Sources ({ citations }: { citations: Citation[] }) {
  return (
    <details class='cited'>
      <summary>{texts.value.inbox.sources}</summary>
      <ol>
        {citations.map(({ n, title, quote }) => (
          <li key={n} value={n}>
            <strong dir='auto'>{title}</strong>
            <br />
            <q dir='auto'>{quote}</q>
          </li>
        ))}
      </ol>
    </details>
  )
}
