import table from './notices.json' with { type: 'json' }

/**
 * What visitors are told, in each language that has it. `{{name}}` is the name of an agent, `{{email}}` an address.
 */
export interface Notices {
  /** A person is called. */
  waiting: string
  /** A person has come. */
  taken: string
  /** The agent answers again. */
  returned: string
  /** Nobody is there; a ticket is opened. */
  ticket: string
  /** A ticket has been opened before. */
  ticketed: string
  /** Said with either of these where nobody knows the visitor's address. */
  address: string
  /** It is known now. */
  noted: string
  closed: string
  /** Another agent answers now. */
  transferred: string
  /** A person is offered after answers that knew nothing; `person` is what the visitor says to have one. */
  offer: string
  person: string
}

/** People maintain them in `notices.json`. */
const NOTICES: Record<string, Notices> = table

/** The languages that have them. */
export const NOTICE_LANGUAGES = Object.keys(NOTICES)

/** What visitors are told in a language; in English where there is nothing in theirs. */
export function noticesOf (language: string | null): Notices {
  return NOTICES[language ?? 'en'] ?? NOTICES['en']!
}
