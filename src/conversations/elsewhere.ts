import type { Neighbours, Said } from '../platform/neighbours/contract.ts'
import { endedWith, newDraft, type Draft } from './answering/draft.ts'
import { Written } from './answering/written.ts'
import type { Run } from './run.ts'

const nameOf = (conversation: string) => `answer/${conversation}`

/** What neighbours see of an answer first, and what is added to it then. */
type Head = Pick<Run, 'owner' | 'conversation' | 'answer' | 'epoch'>
type Added = { text: string } | { doing: string | null }

/** Shows neighbours an answer while it is written here. */
export function showing (neighbours: Pick<Neighbours, 'write'>, head: Head, draft: Pick<Draft, 'doing'>) {
  const writing = neighbours.write(nameOf(head.conversation), head as unknown as Said)
  let told: string | null = null
  return {
    /** What was added to its text; what is done for it goes along. */
    add (piece: string) {
      if (draft.doing !== told) writing.add({ doing: told = draft.doing })
      if (piece !== '') writing.add({ text: piece })
    },
    end: () => writing.end()
  }
}

/** The answer that another process writes in a conversation, as much of it as is to be seen now. */
export async function seenElsewhere (
  neighbours: Pick<Neighbours, 'shown'>, conversation: string
): Promise<Run | undefined> {
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
