import table from './phrases.json' with { type: 'json' }

/**
 * The fixed sentences an agent says by itself, in each language that has them. `{name}` is the agent's name,
 * `{contact}` an e-mail address.
 */
export interface Phrases {
  /** Said once, before the first answer: visitors have a right to know. */
  isAi: string
  greeting: string
  thanks: string
  unknown: string
  /** Before sentences that may answer what was asked. */
  mayHelp: string
  /** How to reach a person by mail. */
  writeTo: string
  /** There is no way to reach a person. */
  noPerson: string
  /** Somebody else is asked to help. */
  oneMoment: string
  /** The answer broke off. */
  brokeOff: string
  /** To `ok`, `yes` and the like, which ask nothing. */
  ok: string
  bye: string
  /** What it is there for. */
  canHelp: string
}

/** People maintain them in `phrases.json`. */
const PHRASES: Record<string, Phrases> = table

/** The fixed sentences of a language; English where there are none. */
export function phrasesOf (language: string | null): Phrases {
  return PHRASES[language ?? 'en'] ?? PHRASES['en']!
}

const NOTICES = new Set<string>(Object.values(PHRASES).map(({ isAi }) => isAi))

/** An answer without the notice that its first one begins with, in whatever language. */
export function withoutNotice (text: string): string {
  const [first = ''] = text.split('\n\n', 1)
  return NOTICES.has(first) ? text.slice(first.length + 2) : text
}
