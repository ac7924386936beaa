import table from './words.json' with { type: 'json' }

/** What is pushed says that a visitor waits, or has written. People maintain it in `words.json`. */
const WORDS: Record<string, { waiting: string, written: string }> = table

/**
 * What is pushed: who calls and where, and no word of what was said. The console's worker shows it
 * (src/console/browser/worker/).
 */
export function wordsOf (
  language: string,
  { conversation, isWaiting, visitor, agent }: {
    conversation: string, isWaiting: boolean, visitor: string | null, agent: string
  }
): { title: string, body: string, conversation: string } {
  const words = WORDS[language] ?? WORDS['en']!
  return {
    title: isWaiting ? words.waiting : words.written,
    body: visitor === null ? agent : `${visitor} · ${agent}`,
    conversation
  }
}
