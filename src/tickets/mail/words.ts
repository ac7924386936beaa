import table from './words.json' with { type: 'json' }

/** What we say ourselves in mails, in each language that has it. `{{name}}` is the name of an agent. */
export interface MailWords {
  /** Stands above the quoted part: an answer is what is written above it. */
  above: string
  /** Who has written what the agent has. */
  agent: string
  /** Under a mail that nobody asked for: why it came, and what to do. */
  unasked: string
  /** To somebody of the business who has answered a visitor of whom no address is known. */
  held: string
}

/** People maintain them in `words.json`. */
const WORDS: Record<string, MailWords> = table

/** The languages that have them. */
export const MAIL_LANGUAGES = Object.keys(WORDS)

/** What mails to visitors say in a language; in English where there is nothing in theirs. */
export function mailWordsOf (language: string | null): MailWords {
  return WORDS[language ?? 'en'] ?? WORDS['en']!
}

const ABOVE = Object.values(WORDS).map(({ above }) => above)

/** Whether a line is the one, in any language, above which people are asked to write. */
export const isAbove = (line: string) => ABOVE.some((above) => line.includes(above))
