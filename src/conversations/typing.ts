import type { Id } from '../../schema/common.ts'

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
  /** Hears of it at once. */
  on (listener: (typed: Typed) => void): void
}

/** Remembered at most: watchers are woken at once. */
const REMEMBERED = 200

/** `wake`: wakes those who watch a conversation, and all of an account's. */
export function openTyping (wake: (owner: Id, conversation: string) => void): Typing {
  const listeners: Array<(typed: Typed) => void> = []
  let recent: Typed[] = []
  let n = 0
  return {
    say (owner, conversation, role, text) {
      const typed = { n: ++n, owner, conversation, role, text }
      const others = recent.filter((one) => one.conversation !== conversation || one.role !== role)
      recent = [...others.slice(1 - REMEMBERED), typed]
      wake(owner, conversation)
      for (const listener of listeners) listener(typed)
    },
    since: (seen) => recent.filter((typed) => typed.n > seen),
    last: () => n,
    on: (listener) => { listeners.push(listener) }
  }
}
