import type { Id } from '../../schema/common.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'

/** Somebody types in a conversation. `n` counts up; `text`: what stands there so far, where it is told. */
export interface Typed { n: number, owner: Id, conversation: string, role: 'visitor' | 'person', text?: string }

/** Who types where: told to those who watch, and kept nowhere. */
export interface Typing {
  /** `text` is for the account's people alone: streams that a visitor may see never show it. */
  say (owner: Id, conversation: string, role: Typed['role'], text?: string): void
  /** What was said after the n-th, of those remembered: for each conversation and role the last. */
  since (n: number): Typed[]
  /** How often it was said so far. */
  last (): number
  /** Hears of it at once, in the process in which it was said. */
  on (listener: (typed: Typed) => void): void
}

/** Remembered at most: watchers are woken at once. */
const REMEMBERED = 200

/** What is told to neighbours, with who types where. */
const TYPED = 'typed'

/** `wake`: wakes those who watch a conversation, and all of an account's. */
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
