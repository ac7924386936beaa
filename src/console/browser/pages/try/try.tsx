import { useEffect, useRef, useState } from 'preact/hooks'
import { MessageSquarePlus, SendHorizontal, Square } from 'lucide-preact'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Conversation, Message } from '../../../../../schema/conversations.ts'
import { api } from '../../api.ts'
import type { PageProps } from '../page.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Empty, sentenceOf } from '../../ui/states.tsx'
import { AgentPage } from '../agent/frame.tsx'
import { Answer } from './answer.tsx'
import { say } from './talk.ts'

/** A conversation with the agent, to see what it answers and from which sources. */
export default function Try ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id}>{(agent) => <Chat agent={agent} />}</AgentPage>
}

/** A question and its result. */
interface Turn { question: string, clientId: string, answer?: Message }
/** The answer being generated. */
interface Writing { id?: string, text: string }

function useChat (agent: number) {
  const [conversation, setConversation] = useState<string>()
  const [turns, setTurns] = useState<Turn[]>([])
  const [writing, setWriting] = useState<Writing>()

  const ask = useAction(async (question: string, clientId: string) => {
    setTurns((all) => all.some((turn) => turn.clientId === clientId) ? all : [...all, { question, clientId }])
    setWriting({ text: '' })
    try {
      const at = conversation ?? (await api.post<Conversation>(`/agents/${agent}/conversations`, { draft: true })).data.id
      setConversation(at)
      let text = ''
      await say(at, { text: question, client_id: clientId }, {
        begun: (id) => setWriting({ id, text }),
        more (delta) {
          text += delta
          setWriting((now) => ({ ...now, text }))
        },
        done: (answer) => setTurns((all) => all.map((turn) => turn.clientId === clientId ? { ...turn, answer } : turn))
      })
    } finally {
      setWriting(undefined)
    }
  })

  const again = useAction(async ({ id, conversation: at }: Message) => {
    const { data } = await api.post<Message>(`/conversations/${at}/messages/${id}/regenerate`)
    setTurns((all) => all.map((turn) => turn.answer?.id === id ? { ...turn, answer: data } : turn))
  })

  return {
    turns,
    writing,
    ask,
    again,
    stop: async () => {
      if (conversation && writing?.id) await api.post(`/conversations/${conversation}/messages/${writing.id}/stop`)
    },
    restart () {
      setTurns([])
      setConversation(undefined)
      ask.clear()
    }
  }
}

function Chat ({ agent: { id, name, status, model } }: { agent: Agent }) {
  const { attempt, ui } = texts.value
  const { turns, writing, ask, again, stop, restart } = useChat(id)
  const end = useRef<HTMLDivElement>(null)
  const last = turns.at(-1)
  const error = ask.error ?? again.error
  useEffect(() => { if (turns.length > 0) end.current!.scrollIntoView({ block: 'nearest' }) }, [turns, writing])
  return (
    <section class='card chat' aria-label={fill(attempt.title, { name })}>
      {status === 'Inactive' && <p class='notice'>{attempt.inactive}</p>}
      {turns.length === 0 && <Empty title={attempt.empty} text={attempt.emptyText} />}
      <ol class='plain turns'>
        {turns.map((turn) => (
          <li key={turn.clientId} class='stack'>
            <div class='said own'>
              <span class='hidden'>{labelled(attempt.you, '')}</span>
              <p dir='auto'>{turn.question}</p>
            </div>
            {turn.answer && (
              <div class='said'>
                <Answer
                  agent={String(id)}
                  message={turn.answer}
                  model={model.display_model}
                  isBusy={again.isBusy}
                  onAgain={
                    turn === last && !writing
                      ? () => {
                          again.run(turn.answer!)
                        }
                      : undefined
                  }
                />
              </div>
            )}
            {turn === last && writing && (
              <div class='said' aria-busy='true'>
                {writing.text
                  ? <Markdown text={writing.text} />
                  : <p class='quiet'>{fill(attempt.writing, { name })}</p>}
              </div>
            )}
          </li>
        ))}
      </ol>
      {error && (
        <div class='failure' role='alert'>
          <p>
            {ask.error && !last?.answer && `${attempt.notSent} `}
            {sentenceOf(error)}
          </p>
          {ask.error && last && <Button onClick={() => { ask.run(last.question, last.clientId) }}>{ui.retry}</Button>}
        </div>
      )}
      <div class='hidden' role='status'>{last?.answer && !writing ? last.answer.text : ''}</div>
      <Composer
        isBusy={ask.isBusy || again.isBusy}
        onStop={
          writing?.id
            ? () => {
                stop()
              }
            : undefined
        }
        onSend={(text) => { ask.run(text, crypto.randomUUID()) }}
      />
      {turns.length > 0 && (
        <div>
          <Button kind='quiet' icon={MessageSquarePlus} disabled={ask.isBusy} onClick={restart}>{attempt.anew}</Button>
        </div>
      )}
      <div ref={end} />
    </section>
  )
}

function Composer ({
  isBusy, onStop, onSend
}: {
  isBusy: boolean, onStop: (() => void) | undefined, onSend: (text: string) => void
}) {
  const { attempt } = texts.value
  const [text, setText] = useState('')

  function send () {
    if (isBusy || text.trim() === '') return
    onSend(text)
    setText('')
  }

  return (
    <form
      class='composer'
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        class='low grow'
        rows={1}
        dir='auto'
        autofocus
        aria-label={attempt.placeholder}
        placeholder={attempt.placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {onStop
        ? <Button icon={Square} onClick={onStop}>{attempt.stop}</Button>
        : <Button kind='main' type='submit' icon={SendHorizontal} busy={isBusy}>{attempt.send}</Button>}
    </form>
  )
}
