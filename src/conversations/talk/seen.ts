import type { Id } from '../../../schema/common.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { seenElsewhere } from '../elsewhere.ts'
import type { Run } from '../run.ts'
import type { ConversationStore } from '../store.ts'

/** What was seen of answers in other processes, for decisions that are made about them now. */
export interface Seen {
  /** What another process writes in a conversation about which something is being decided here. */
  of (conversation: string): Run | undefined
}

/**
 * Changes of conversations that know what other processes write there: read before the transaction, since a decision
 * can wait for nothing but the tables.
 */
export function changesSeeing (
  store: ConversationStore, neighbours: Pick<Neighbours, 'isAlone' | 'shown'>
): { store: ConversationStore, seen: Seen } {
  if (neighbours.isAlone) return { store, seen: { of: () => undefined } }
  const found = new Map<string, Run>()

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

  return {
    store: {
      ...store,
      change: async (owner: Id, id: string, ...rest: any[]) =>
        await seeing(id, async () => await (store.change as any)(owner, id, ...rest)),
      changeOnce: async (owner: Id, id: string, ...rest: any[]) =>
        await seeing(id, async () => await (store.changeOnce as any)(owner, id, ...rest))
    } as ConversationStore,
    seen: { of: (conversation) => found.get(conversation) }
  }
}
