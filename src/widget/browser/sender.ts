import type { Client, Refused } from './client.ts'
import type { Conversation, Message, Pending } from './types.ts'

/** Delay before an undelivered message is sent again: initially, and at most. */
const WAIT_MS = 4000
const LONGEST_WAIT_MS = 60_000

interface SenderNeeds {
  chat: { pending: Pending[], conversation: Conversation | undefined }
  /** The address of the conversation, or of something in it. */
  path: (more?: string) => string
  /** Begins a conversation if there is none. */
  ensure: () => Promise<void>
  recognise: () => Promise<unknown>
  /** Switches to another conversation, or to none. */
  enter: (conversation?: Conversation) => void
  put: (message: Message) => void
  changed: () => void
}

/** Delivers a visitor's messages to the server, one after the other, in the order written. */
export function sender (client: Client, { chat, path, ensure, recognise, enter, put, changed }: SenderNeeds) {
  let sending: Promise<unknown> = Promise.resolve()

  async function deliver (pending: Pending) {
    try {
      await ensure()
      const [to, at] = [chat.conversation!.id, path()]
      if (pending.files.length > pending.uploaded.length) {
        const form = new FormData()
        for (const file of pending.files) form.append('file', file)
        pending.uploaded = (await client.call<Array<{ id: string }>>('POST', `${at}/attachments`, form)).map(
          ({ id }) => id
        )
      }
      const message = await client.call<Message>('POST', `${at}/messages`, {
        text: pending.text,
        client_id: pending.client_id,
        attachments: pending.uploaded,
        // Without query string and fragment, which may hold secrets; lone surrogates would be refused.
        page: {
          url: location.origin + location.pathname, title: document.title.slice(0, 999).replace(/[\0\p{Cs}]/gu, '')
        },
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone
      })
      // Long after its end, a conversation is continued in a follow-up one: the answer arrives there.
      const { conversation: id } = message
      chat.pending = chat.pending.filter((one) => one !== pending)
      changed()
      // Unless the visitor has begun another meanwhile.
      if (chat.conversation?.id === to && id !== to) enter({ id, status: 'open', handled_by: 'agent' })
      put(message)
    } catch (error) {
      // The conversation may have been deleted meanwhile: then the next attempt begins another.
      const { status, message } = error as Refused
      if (status === 404) await recognise().then(() => enter())
      const isAway = !status || status >= 500
      Object.assign(pending, { state: isAway ? 'waiting' : 'failed', why: isAway || status === 404 ? '' : message })
      if (isAway) wait(pending)
      changed()
    }
  }

  /** Retries once there is a connection, and at intervals, since the server may be down too. */
  function wait (pending: Pending) {
    const again = () => {
      clearTimeout(timer)
      removeEventListener('online', again)
      if (pending.state === 'waiting' && chat.pending.includes(pending)) retry(pending)
    }
    const timer = setTimeout(again, Math.min(WAIT_MS * 2 ** pending.tries++, LONGEST_WAIT_MS))
    addEventListener('online', again)
  }

  function retry (pending: Pending) {
    pending.state = 'sending'
    changed()
    queue(pending)
  }

  /** One after the other, so that they arrive in the order written. */
  function queue (pending: Pending) {
    sending = sending.then(() => deliver(pending))
  }

  return { queue, retry }
}
