import type { Client, Part, StreamCursor, Visitor } from './client.ts'
import { sender } from './sender.ts'
import type { Conversation, Message, Pending } from './types.ts'

/** How long somebody counts as typing after the last sign of it. */
const TYPES_MS = 6000

/** How often the visitor's typing is reported, and how much of the text: the end. */
const TYPING_MS = 1500
const LONGEST_TYPED = 2000

/** The state that the panel shows. */
export interface Chat {
  messages: Message[]
  pending: Pending[]
  conversation: Conversation | undefined
  visitor: Visitor | undefined
  isLost: boolean
  /** Until when the person counts as typing. */
  typing: number
}

/** Callbacks for changes: that something must be redrawn, and what is to be announced to screen readers. */
interface Listening {
  changed: () => void
  writing: (message: Message) => void
  written: (message: Message) => void
}

/** The operations of a chat. */
export interface Talking {
  readonly chat: Chat
  /** Resumes the existing conversation. */
  resume (): Promise<void>
  watch (isWanted: boolean): void
  send (text: string, files: File[]): void
  retry (pending: Pending): void
  stop (message: Message): Promise<unknown>
  again (message: Message): Promise<unknown>
  judge (message: Message, score: 1 | -1, comment: string): Promise<unknown>
  /**
   * Sends who the visitor is, their decision about a call, or a requested action; `where`: the path in the
   * conversation.
   */
  tell (about: object, where?: string): Promise<void>
  /** Requests a person; by a message if the button cannot do it. */
  person (words: string): Promise<unknown>
  /** The visitor types: the text so far is sent to the person who answers, at intervals. */
  typing (text: string): void
  fresh (): void
  /** Continues an earlier conversation. */
  go (conversation: Conversation): void
}

/** Reports what is typed, at most once per interval, with the latest text at its end. */
function typist (tell: (text: string) => void) {
  let typed = ''
  let told = ''
  let isQuiet = false

  function next () {
    if (isQuiet || typed === told) return
    told = typed
    isQuiet = true
    setTimeout(() => {
      isQuiet = false
      next()
    }, TYPING_MS)
    tell(typed.slice(-LONGEST_TYPED))
  }

  return {
    type (text: string) {
      typed = text
      next()
    },
    /** The next text is a new one. */
    sent () { typed = told = '' }
  }
}

/**
 * Sets which conversation a session continues. An erased visitor counts as new and is asked again what newcomers are;
 * what the same visitor has sent meanwhile stays.
 */
function recogniser (client: Client, chat: Chat) {
  let known: Visitor | undefined
  return async () => {
    const { conversation, visitor } = await client.begun()
    if (visitor !== known) chat.visitor = known = visitor
    return conversation
  }
}

/** Opens a chat that uses a client. `language`: that of the page, as declared there. */
export function openChat (client: Client, language: string, { changed, writing, written }: Listening): Talking {
  const chat: Chat = {
    messages: [], pending: [], conversation: undefined, visitor: undefined, isLost: false, typing: 0
  }
  const recognise = recogniser(client, chat)
  let watching: StreamCursor & AbortController | undefined
  let isWatchWanted = false
  let last = '0'
  let resuming: Promise<void> | undefined
  let refreshing: Promise<Conversation> | undefined
  const path = (more = '') => `conversations/${chat.conversation!.id}${more}`

  const typing = typist((text) => {
    if (chat.conversation) client.call('POST', path('/typing'), { text }).catch(() => {})
  })

  function put (message: Message) {
    const known = chat.messages.find(({ id }) => id === message.id)
    const isWriting = message.status === 'generating'
    // A response may arrive after the stream has reported the end, or when another conversation is shown.
    if (message.conversation !== chat.conversation?.id || (isWriting && known && known.status !== 'generating')) return
    // The stream is ahead of other reports on an answer being generated.
    const next = isWriting && known && message.text === '' ? { ...message, text: known.text } : message
    chat.messages = [...chat.messages.filter(({ id }) => id !== message.id), next].sort((a, b) => a.seq - b.seq)
    chat.pending = chat.pending.filter(({ client_id: sent }) => sent !== message.client_id)
    if (isWriting) {
      if (!known) writing(next)
    } else if (message.role !== 'visitor' && known?.status !== message.status) {
      chat.typing = 0
      written(next)
    }
    changed()
  }

  function part ({ type, id, delta = '', data }: Part) {
    const message = chat.messages.find((one) => one.id === id)
    if (type === 'text-start' && message) message.text = ''
    if (type === 'text-delta' && message) {
      message.text += delta
      changed()
    }
    if (type === 'data-message') put(data as Message)
    if (type === 'data-event') happened(data as { type: string, data: Message | null })
  }

  function happened ({ type, data }: { type: string, data: Message | null }) {
    if (type === 'typing') return types(data!)
    if (data) {
      if (type === 'message.restarted') chat.messages = chat.messages.filter(({ id }) => id !== data.id)
      put(data)
    }
    if (!data || data.role === 'system' || data.role === 'person') refresh().catch(() => {})
  }

  function types ({ role }: Pick<Message, 'role'>) {
    if (role !== 'person') return
    chat.typing = Date.now() + TYPES_MS
    changed()
    setTimeout(changed, TYPES_MS)
  }

  async function refresh () {
    if (!chat.conversation) return
    const mine = refreshing = client.conversation(chat.conversation.id)
    const found = await mine
    // Requested again meanwhile, or moved to another conversation.
    if (mine !== refreshing) return
    chat.conversation = found
    changed()
  }

  function connect () {
    if (!chat.conversation || watching || !isWatchWanted) return
    watching = Object.assign(new AbortController(), { last })
    client.watch(chat.conversation.id, watching, {
      part,
      lost (isLost) {
        chat.isLost = isLost
        changed()
      },
      gone: fresh
    }).catch(() => {})
  }

  function leave () {
    last = watching?.last ?? last
    watching?.abort()
    watching = undefined
    chat.isLost = false
  }

  /** Switches to another conversation, or to none. */
  function enter (conversation?: Conversation) {
    leave()
    resuming = refreshing = undefined
    last = '0'
    Object.assign(chat, { messages: [], conversation, typing: 0 })
    client.keep({ conversation: conversation?.id })
    connect()
    changed()
  }

  const fresh = () => enter()
  const resume = (id?: string) => (resuming = read(id))

  /** Loads what exists from an earlier visit; nothing if the visitor starts a new conversation meanwhile. */
  async function read (id?: string) {
    const begun = await recognise()
    const conversation = id ?? begun
    const mine = resuming
    if (conversation && !chat.conversation) {
      const [found, { data, last_event: at }] = await Promise.all([
        client.conversation(conversation), client.messages(conversation)
      ])
      if (mine !== resuming) return
      chat.conversation = found
      client.keep({ conversation })
      last = at
      // Already existing messages are not announced.
      chat.messages = data
    }
    connect()
    changed()
  }

  async function ensure (): Promise<void> {
    // Messages written while that is loading belong to the existing conversation.
    await resuming?.catch(() => resume())
    if (chat.conversation) return
    enter(await client.call('POST', 'conversations', { language }))
  }

  const { queue, retry } = sender(client, { chat, path, ensure, recognise, enter, put, changed })

  function send (text: string, files: File[]) {
    typing.sent()
    const pending: Pending = {
      client_id: `${Date.now()}-${Math.random()}`, text, files, uploaded: [], state: 'sending', why: '', tries: 0
    }
    chat.pending = [...chat.pending, pending]
    changed()
    queue(pending)
  }

  return {
    chat,
    resume: () => resume(),
    watch (isWanted) {
      isWatchWanted = isWanted
      if (isWanted) connect()
      else leave()
    },
    send,
    retry,
    stop: ({ id }) => client.call<Message>('POST', path(`/messages/${id}/stop`)).then(put),
    again: ({ id }) => client.call<Message>('POST', path(`/messages/${id}/regenerate`)).then(put),
    judge: ({ id }, score, comment) =>
      client.call<Message>('PUT', path(`/messages/${id}/feedback`), { score, comment }).then(put),
    async tell (about, where) {
      if (where) await ensure().then(() => client.call('POST', path(where), about))
      else chat.visitor = await client.call<Visitor>('PATCH', 'visitor', about)
      changed()
    },
    // If the button cannot hand it over, a message is sent instead.
    person: (words) => ensure().then(() => client.call('POST', path('/handoff'))).catch(() => send(words, [])),
    typing: typing.type,
    fresh,
    go ({ id }) {
      enter()
      resume(id).catch(() => {})
    }
  }
}
