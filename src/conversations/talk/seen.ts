import type { Id } from '../../../schema/common.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { seenElsewhere } from '../elsewhere.ts'
import type { Generation } from '../generation.ts'
import type { ConversationStore } from '../store.ts'

/** What was seen of answers in other processes, for decisions being made about them. */
export interface Seen {
  /** The answer of another process in a conversation about which a decision is being made here. */
  of (conversation: string): Generation | undefined
}

/**
 * Changes of conversations that know what other processes write there: read before the transaction, since decisions can
 * wait only for the database.
 */
export function changesSeeing (
  store: ConversationStore, neighbours: Pick<Neighbours, 'isAlone' | 'shown'>
): { store: ConversationStore, seen: Seen } {
  if (neighbours.isAlone) return { store, seen: { of: () => undefined } }
  const found = new Map<string, Generation>()

  async function seeing<T> (conversation: string, change: () => Promise<T>): Promise<T> {
    const run = await seenElsewhere(neighbours, conversation)
    if (!run) return await change()
    found.set(conversation, run)
    try {
      return await change()
    } finally {
      if (found.get(conversation) === run) found.delete(conversation)
    }
  }

  /** The same change, about which it is known what others write. */
  function seeingEach<Change extends (owner: Id, id: string, ...rest: never[]) => Promise<unknown>> (change: Change) {
    return (async (owner, id, ...rest) =>
      await seeing(id, async () => await change(owner, id, ...rest))) as Change
  }

  return {
    store: {
      ...store, change: seeingEach(store.change), changeIdempotently: seeingEach(store.changeIdempotently)
    },
    seen: { of: (conversation) => found.get(conversation) }
  }
}
