import type { Id } from '../../schema/common.ts'
import type { Neighbours, Said } from '../platform/neighbours/contract.ts'
import { type Draft, endedWith, type Generation, newDraft, Written } from './generation.ts'
import type { ConversationStore } from './store.ts'

const nameOf = (conversation: string) => `answer/${conversation}`

/** What other processes see of an answer at first, and what is added. */
type Head = Pick<Generation, 'owner' | 'conversation' | 'answer' | 'epoch'>
type Added = { text: string } | { doing: string | null }

/** Shows other processes an answer being written here. */
export function showing (neighbours: Pick<Neighbours, 'write'>, head: Head, draft: Pick<Draft, 'doing'>) {
  const writing = neighbours.write(nameOf(head.conversation), head as unknown as Said)
  let told: string | null = null
  return {
    /** What was added to its text, with the current action. */
    add (piece: string) {
      if (draft.doing !== told) writing.add({ doing: told = draft.doing })
      if (piece !== '') writing.add({ text: piece })
    },
    end: () => writing.end()
  }
}

/** The answer another process is writing in a conversation, as far as it is visible now. */
export async function seenElsewhere (
  neighbours: Pick<Neighbours, 'shown'>, conversation: string
): Promise<Generation | undefined> {
  const shown = await neighbours.shown(nameOf(conversation))
  if (!shown) return undefined
  const text = new Written()
  let doing: string | null = null
  for (const one of shown.added as Added[]) {
    if ('text' in one) text.add(one.text)
    else doing = one.doing
  }
  return {
    ...shown.head as unknown as Head,
    begun: shown.called,
    since: -Infinity,
    text,
    doing: () => doing,
    soFar: () => endedWith(newDraft(), text.whole())
  }
}

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
