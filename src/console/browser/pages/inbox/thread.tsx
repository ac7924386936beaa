import { Fragment } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ThumbsDown, ThumbsUp } from 'lucide-preact'
import type { Citation, Conversation, Message } from '../../../../../schema/conversations.ts'
import { me } from '../../session.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Badge } from '../../ui/page.tsx'
import { AsQuestion } from '../questions/of-message.tsx'
import { Attached } from './writing/attached.tsx'
import { useWritten, type useThread } from './use-thread.ts'

const NEAR = 80

type PersonOf = (user: number) => string
type ModelOf = (agent: number, model: string) => string

/**
 * What was said, the newest at the bottom; who reads further up stays there. `seen`: a line stands above what the
 * visitor said after this message, until it is answered.
 */
export function Thread ({
  thread, conversation, seen = Infinity, visitor, personOf, modelOf
}: {
  thread: ReturnType<typeof useThread>
  conversation: Conversation
  seen: number | undefined
  /** What the visitor is called, where that is known. */
  visitor: string | undefined
  personOf: PersonOf
  modelOf: ModelOf
}) {
  const { inbox } = texts.value
  const { messages, typing, earlier } = thread
  const written = useWritten(
    conversation.id, messages.findLast(({ status }) => status === 'generating')
  )
  const box = useRef<HTMLDivElement>(null)
  const place = useRef({ isAtEnd: true, height: 0, first: 0 })
  const answered = Math.max(seen, messages.findLast(({ role }) => role === 'person')?.seq ?? 0)
  const firstNew = messages.find(({ seq, role }) => role === 'visitor' && seq > answered)?.seq
  const showEarlier = useAction(async () => await earlier?.())

  useLayoutEffect(() => {
    const { scrollHeight } = box.current!
    const first = messages[0]?.seq ?? 0
    // What came above must not push away what is being read.
    if (first < place.current.first) box.current!.scrollTop += scrollHeight - place.current.height
    else if (place.current.isAtEnd) box.current!.scrollTop = scrollHeight
    place.current = { ...place.current, height: scrollHeight, first }
  }, [messages, written, typing])

  function onScroll () {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    place.current.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR
  }

  return (
    <div class='inbox-thread' ref={box} onScroll={onScroll} tabIndex={0} role='region' aria-label={inbox.messages}>
      {earlier && (
        <Button kind='quiet' busy={showEarlier.isBusy} onClick={() => { showEarlier.run() }}>{inbox.earlier}</Button>
      )}
      <ol class='list'>
        {messages.map((message) => (
          <Fragment key={message.seq}>
            {message.seq === firstNew && <li class='told-new'>{inbox.newHere}</li>}
            <Said
              message={message}
              written={message.status === 'generating' ? written : undefined}
              visitor={visitor}
              personOf={personOf}
              modelOf={(model) => modelOf(conversation.speaker ?? conversation.agent, model)}
            />
          </Fragment>
        ))}
      </ol>
      <Typing typing={typing} conversation={conversation} visitor={visitor} personOf={personOf} />
    </div>
  )
}

/** Who types, by name where it is known, and of a visitor in a widget what stands there so far. */
function Typing ({ typing, conversation: { person }, visitor, personOf }: {
  typing: ReturnType<typeof useThread>['typing']
  conversation: Conversation
  visitor: string | undefined
  personOf: PersonOf
}) {
  const { inbox } = texts.value
  const isTheirs = person !== null && person !== me.value!.user.id
  return (
    <>
      <p class='typing' role='status'>
        {typing?.role === 'visitor' && (visitor ? fill(inbox.types, { name: visitor }) : inbox.visitorTypes)}
        {typing?.role === 'person' && isTheirs && fill(inbox.types, { name: personOf(person) })}
      </p>
      {typing?.text && <p class='typed' dir='auto'>{typing.text}</p>}
    </>
  )
}

function Said ({ message, written, visitor, personOf, modelOf }: {
  message: Message
  written: string | undefined
  visitor: string | undefined
  personOf: PersonOf
  modelOf: (model: string) => string
}) {
  const { inbox } = texts.value
  const { role, author, text, status, citations, feedback, attachments, unknown, error, model } = message
  if (role === 'system') return <li class='told system'><Markdown text={text} /></li>
  const known = role === 'visitor' ? visitor : role === 'person' && author !== null ? personOf(author) : undefined
  const who = known ?? inbox.roles[role]
  return (
    <li class={`told ${role}`}>
      <p class='row quiet'>
        <span>{who}</span>
        <time dateTime={message.created_at}>{shownTime(message.created_at)}</time>
        {model && <span>{modelOf(model)}</span>}
        {unknown && <Badge tone='bad'>{inbox.unknown}</Badge>}
        {status === 'stopped' && <Badge>{inbox.stopped}</Badge>}
      </p>
      <div class='bubble'>
        {role === 'visitor'
          ? <p class='plain' dir='auto'>{text}</p>
          : <Markdown text={written ?? text} />}
        {status === 'generating' && <p class='quiet'>{inbox.writing}</p>}
        {status === 'failed' && <p class='error'>{error?.message ?? inbox.failed}</p>}
        {attachments.length > 0 && <Attached attachments={attachments} />}
        {citations.length > 0 && <Sources citations={citations} />}
      </div>
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
