import table from './words.json' with { type: 'json' }

/** The fixed sentences about calls, in each language that has them. `{title}`: what the action is called. */
export interface CallWords {
  /** Somebody is asked to confirm it. */
  confirm: string
  /** A person of the business is. */
  approval: string
  done: string
  failed: string
  /** It was sent, and no answer came. */
  lost: string
  /** Nobody confirmed it in time. */
  expired: string
}

/** People maintain them in `words.json`. */
const WORDS: Record<string, CallWords> = table

/** The sentences of a language; English where there are none. */
export const wordsOf = (language: string | null): CallWords => WORDS[language ?? 'en'] ?? WORDS['en']!
