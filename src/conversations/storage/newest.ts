import type { Id } from '../../../schema/common.ts'

/**
 * Remembers which event of a conversation is its newest, so that watchers who are woken because an answer has grown ask
 * nothing of the file. `generation`: a number that moves when another process has written.
 */
export interface NewestEvents {
  /** Whether this is known to be the newest one; false where nothing is known. */
  is (owner: Id, conversation: string, event: number): boolean
  note (owner: Id, conversation: string, event: number): void
  /** Something happened in it. */
  forget (conversation: string): void
}

/** Conversations remembered; forgotten together when there are more. */
const MOST = 10_000

/** See NewestEvents. */
export function newestEvents (generation: () => number): NewestEvents {
  const known = new Map<string, { owner: Id, event: number }>()
  let seen = -1

  function current () {
    const now = generation()
    if (now !== seen || known.size >= MOST) known.clear()
    seen = now
    return known
  }

  return {
    is (owner, conversation, event) {
      const newest = current().get(conversation)
      return newest?.owner === owner && newest.event === event
    },
    note: (owner, conversation, event) => { current().set(conversation, { owner, event }) },
    forget: (conversation) => { known.delete(conversation) }
  }
}
