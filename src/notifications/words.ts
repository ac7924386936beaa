import type { CallReason } from '../locales/contract.ts'
import { textsIn } from '../locales/list.ts'

/**
 * What is pushed: who calls and where, and no word of what was said. The console's worker shows it
 * (src/console/browser/worker/).
 */
export function wordsOf (
  language: string,
  { conversation, why, visitor, agent }: {
    conversation: string, why: CallReason, visitor: string | null, agent: string
  }
): { title: string, body: string, conversation: string } {
  const words = textsIn(language, 'team').called
  return {
    title: words[why],
    body: visitor === null ? agent : `${visitor} · ${agent}`,
    conversation
  }
}
