import table from './words.json' with { type: 'json' }

/** Why somebody is called: a visitor waits, or has written, or somebody else has given them the conversation. */
export type Reason = 'waiting' | 'written' | 'given'

/** What is pushed says why. People maintain it in `words.json`. */
const WORDS: Record<string, Record<Reason, string>> = table

/**
 * What is pushed: who calls and where, and no word of what was said. The console's worker shows it
 * (src/console/browser/worker/).
 */
export function wordsOf (
  language: string,
  { conversation, why, visitor, agent }: {
    conversation: string, why: Reason, visitor: string | null, agent: string
  }
): { title: string, body: string, conversation: string } {
  const words = WORDS[language] ?? WORDS['en']!
  return {
    title: words[why],
    body: visitor === null ? agent : `${visitor} · ${agent}`,
    conversation
  }
}
