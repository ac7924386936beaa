import type { Client, Part, Place, Visitor } from './client.ts'
import { sender } from './sender.ts'
import type { Conversation, Message, Pending } from './types.ts'

/** How long somebody who typed is taken to type on. */
const TYPES_MS = 6000

/** How often it is told what the visitor types, and how much of it: the end. */
const TYPING_MS = 1500
const LONGEST_TYPED = 2000

/** Everything that the panel shows. */
export interface Chat {
  messages: Message[]
  pending: Pending[]
  conversation: Conversation | undefined
  visitor: Visitor | undefined
  isLost: boolean
  /** Until when the person is taken to type. */
  typing: number
}

/** Who is told of changes: that something is to be drawn anew, and what is to be said aloud. */
interface Listening {
  changed: () => void
  writing: (message: Message) => void
  written: (message: Message) => void
}

/** What can be done in a chat. */
export interface Talking {
  readonly chat: Chat
  /** Goes on with the conversation that there is. */
  resume (): Promise<void>
  watch (isWanted: boolean): void
  send (text: string, files: File[]): void
  retry (pending: Pending): void
  stop (message: Message): Promise<unknown>
  again (message: Message): Promise<unknown>
  judge (message: Message, score: 1 | -1, comment: string): Promise<unknown>
  /** Tells who the visitor is; what they decide about a call, or want to have done, `where` in the conversation. */
  tell (about: object, where?: string): Promise<void>
  /** Asks for a person; where the button does not do it, with words. */
  person (words: string): Promise<unknown>
  /** The visitor types: what stands there is told to who answers, every few moments. */
  typing (text: string): void
  fresh (): void
  /** Goes on in an earlier conversation. */
  go (conversation: Conversation): void
}

/** Tells what is typed, and what was typed meanwhile at the end of a pause. */
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
    /** The next words are others. */
    sent () { typed = told = '' }
  }
}

/**
 * Says which conversation a session goes on with. Whose visitor was erased is somebody new, and asked again what
 * newcomers are; what the same visitor has told meanwhile stays.
 */
function recogniser (client: Client, chat: Chat) {
  let known: Visitor | undefined
  return async () => {
    const { conversation, visitor } = await client.begun()
    if (visitor !== known) chat.visitor = known = visitor
    return conversation
  }
}

/** Opens a chat on the server's side of it. `language`: that of the page, as it names it. */
export function openChat (client: Client, language: string, { changed, writing, written }: Listening): Talking {
  const chat: Chat = {
    messages: [], pending: [], conversation: undefined, visitor: undefined, isLost: false, typing: 0
  }
  const recognise = recogniser(client, chat)
  let watching: Place & AbortController | undefined
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
    // What a request is answered may come after the stream has told the end, or when another conversation is shown.
    if (message.conversation !== chat.conversation?.id || (isWriting && known && known.status !== 'generating')) return
    // The stream is ahead of what is told about an answer that is being written.
    const next = isWriting && known && message.text === '' ? { ...message, text: known.text } : message
    chat.messages = [...chat.messages.filter(({ id }) => id !== message.id), next].sort((a, b) => a.seq - b.seq)
    chat.pending = chat.pending.filter(({ client_id: own }) => own !== message.client_id)
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
    // Asked anew meanwhile, or gone on elsewhere.
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

  /** Goes on in another conversation, or in none. */
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

  /** What there is of an earlier visit; nothing where somebody begins anew meanwhile. */
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
      // What is known already is no news.
      chat.messages = data
    }
    connect()
    changed()
  }

  async function ensure (): Promise<void> {
    // What is written before it is known what there is belongs there.
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
    // Where it cannot be handed over by a button, the words do what they can.
    person: (words) => ensure().then(() => client.call('POST', path('/handoff'))).catch(() => send(words, [])),
    typing: typing.type,
    fresh,
    go ({ id }) {
      enter()
      resume(id).catch(() => {})
    }
  }
}
