import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation, Message } from '../../../../../schema/conversations.ts'
import { api, isRefused, type Refused } from '../../api.ts'
import { isPassing, MISSED, onHappened, withEvents, type Happened } from '../../live.ts'
import { newer } from './conversations.ts'

const PART = 50
const TYPING_MS = 6000

interface State {
  conversation: Conversation | undefined
  messages: Message[]
  error: Refused | undefined
  isGone: boolean
}

/** Messages in order, each in its latest version; but a complete one never becomes unfinished again. */
export function merged (known: readonly Message[], told: readonly Message[]): Message[] {
  const bySeq = new Map(known.map((message) => [message.seq, message]))
  for (const message of told) {
    const before = bySeq.get(message.seq)
    if (before && before.status !== 'generating' && message.status === 'generating') continue
    bySeq.set(message.seq, message)
  }
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}

/** Whether an event holds the complete message: file addresses come only with the list. */
const isWhole = ({ message }: Happened) => (message as Message | undefined)?.attachments.length === 0

/** A conversation with its messages, kept up to date from events. */
export function useThread (id: string) {
  const [state, setState] = useState<State>({ conversation: undefined, messages: [], error: undefined, isGone: false })
  const [typing, setTyping] = useState<{ role: string | undefined, text: string }>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  function tell (conversation: Conversation | undefined, messages: readonly Message[] = []) {
    setState((before) => ({
      ...before,
      error: undefined,
      conversation: conversation ? newer(before.conversation, conversation) : before.conversation,
      messages: merged(before.messages, messages)
    }))
  }

  async function ask (before?: number) {
    const { data: conversation } = await api.get<Conversation>(`/conversations/${id}`)
    const query = { before: before ?? conversation.messages + 1, limit: PART }
    return { conversation, messages: (await api.get<Message[]>(`/conversations/${id}/messages`, query)).data }
  }

  async function read (before?: number) {
    try {
      const { answer: { conversation, messages }, since } = await withEvents(() => ask(before))
      tell(conversation, messages)
      for (const event of since) if (event.id === id && isWhole(event)) tell(undefined, [event.message as Message])
    } catch (error) {
      if (!isRefused(error)) throw error
      setState((known) => ({ ...known, error, isGone: error.status === 404 }))
    }
  }

  function hear (event: Happened) {
    const message = event.message as Message | undefined
    if (event.type === 'typing') {
      clearTimeout(timer.current)
      // Cleared: there is no typed text any more.
      setTyping(event.text === '' ? undefined : { role: event.role, text: event.text ?? '' })
      timer.current = setTimeout(() => setTyping(undefined), TYPING_MS)
    } else if (isPassing(event.type)) return
    else if (event.type === 'conversation.deleted') setState((before) => ({ ...before, isGone: true }))
    else if (message && !isWhole(event)) read(message.seq + 1)
    // Events without a message add none.
    else tell(event.conversation as Conversation | undefined, message ? [message] : [])
    if (message && message.role !== 'agent') setTyping(undefined)
  }

  useEffect(() => { read() }, [id])
  useEffect(() => onHappened((event) => {
    if (event.type === MISSED.type) read()
    else if (event.id === id) hear(event)
  }), [id])
  useEffect(() => () => clearTimeout(timer.current), [])

  const first = state.messages[0]?.seq ?? 1
  return { ...state, typing, tell, read, earlier: first > 1 ? async () => await read(first) : undefined }
}

/**
 * The answer being generated, as far as it has arrived: read from the conversation's own stream while the page is
 * visible.
 */
export function useWritten (id: string, message: Message | undefined): string | undefined {
  const answer = message?.status === 'generating' ? message.id : undefined
  const [text, setText] = useState<{ answer: string, text: string }>()
  useEffect(() => {
    if (!answer) return
    let source: EventSource | undefined
    const hear = ({ data }: MessageEvent) => {
      if (data === '[DONE]') return
      const part = JSON.parse(data as string) as { type: string, id?: string, delta?: string }
      if (part.id !== answer) return
      if (part.type === 'text-start') setText({ answer, text: '' })
      if (part.type === 'text-delta') {
        setText((before) => ({ answer, text: (before?.answer === answer ? before.text : '') + part.delta }))
      }
    }
    // Of seven tabs only the visible ones need their own connection.
    const follow = () => {
      if (document.visibilityState === 'visible' && !source) {
        source = new EventSource(`/v1/conversations/${id}/events`)
        source.onmessage = hear
      } else if (document.visibilityState !== 'visible') {
        source?.close()
        source = undefined
      }
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      source?.close()
    }
  }, [id, answer])
  return text?.answer === answer ? text?.text : undefined
}
