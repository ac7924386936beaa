import type { CallReason } from '../locales/contract.ts'
import { textsIn } from '../locales/list.ts'
import { calledBy, type Called } from '../platform/visitor-name.ts'

/**
 * The text of a push: the reason and the place, no message content. The console's worker shows it
 * (src/console/browser/worker/).
 */
export function wordsOf (
  language: string,
  { conversation, why, visitor, agent }: {
    conversation: string, why: CallReason, visitor: Called | undefined, agent: string
  }
): { title: string, body: string, conversation: string } {
  const words = textsIn(language, 'team')
  const name = visitor && calledBy(visitor, words.from)
  return {
    title: words.called[why],
    body: name === undefined ? agent : `${name} · ${agent}`,
    conversation
  }
}
