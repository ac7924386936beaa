import type { Id } from '../../schema/common.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'

/** Somebody types in a conversation. `n` counts up; `text`: the text so far, if it is shared. */
export interface Typed { n: number, owner: Id, conversation: string, role: 'visitor' | 'person', text?: string }

/** Who types where: sent to watchers, and not stored. */
export interface Typing {
  /** `text` is only for the account's people: streams visible to visitors never show it. */
  say (owner: Id, conversation: string, role: Typed['role'], text?: string): void
  /** Events after the n-th, of those remembered: the last one per conversation and role. */
  since (n: number): Typed[]
  /** The number of events so far. */
  last (): number
  /** Called at once, in the process of the event. */
  on (listener: (typed: Typed) => void): void
}

/** Most remembered: watchers are woken at once. */
const REMEMBERED = 200

/** Sent to other processes, with who types where. */
const TYPED = 'typed'

/** `wake`: wakes watchers of a conversation, and of all of an account's. */
export function openTyping (
  neighbours: Pick<Neighbours, 'tell' | 'hear'>, wake: (owner: Id, conversation: string) => void
): Typing {
  const listeners: Array<(typed: Typed) => void> = []
  let recent: Typed[] = []
  let n = 0

  function heard (owner: Id, conversation: string, role: Typed['role'], text?: string) {
    const typed = { n: ++n, owner, conversation, role, text }
    const others = recent.filter((one) => one.conversation !== conversation || one.role !== role)
    recent = [...others.slice(1 - REMEMBERED), typed]
    wake(owner, conversation)
    return typed
  }
  neighbours.hear(TYPED, (said) => {
    const { owner, conversation, role, text } = said as unknown as Omit<Typed, 'n'>
    heard(owner, conversation, role, text)
  })

  return {
    say (owner, conversation, role, text) {
      const typed = heard(owner, conversation, role, text)
      neighbours.tell(TYPED, { owner, conversation, role, ...(text !== undefined && { text }) })
      for (const listener of listeners) listener(typed)
    },
    since: (seen) => recent.filter((typed) => typed.n > seen),
    last: () => n,
    on: (listener) => { listeners.push(listener) }
  }
}
