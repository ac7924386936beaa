/** Whether a service responds: true, or why not, in a sentence; null: it was not tested. */
export type Answers = true | string | null

/** The facts about an installation and one of its accounts: all that the rules depend on. */
export interface LiveFacts {
  /** The base address; empty if none is set. */
  address: string
  /** Whether the server responds there. */
  addressAnswers: Answers
  /** Whether a proxy is trusted. */
  hasProxy: boolean
  /** The address of an untrusted proxy in front of the server; null: none was seen. */
  strangeProxy: string | null
  mail: {
    hasServer: boolean
    /** Whether the mail server accepts our sign-in. */
    takes: Answers
    /** The sender address of mail, without the name; empty if it is not set. */
    from: string
    hasMailbox: boolean
    /** Whether the mailbox accepts our sign-in. */
    opens: Answers
  }
  models: {
    /** The models that active agents use and somebody provides, without duplicates. */
    used: string[]
    /** Those that nobody provides. */
    unknown: string[]
    /** Whether there are any models at all. */
    isAny: boolean
    /** The error of the first one that does not respond; null: all do. */
    fault: string | null
    /** Daily token limit of the installation's models; 0: no limit; null: the account pays for them itself. */
    dailyTokens: number | null
  }
  /** Active agents. */
  agents: Array<{ id: number, name: string, sources: number, days: number | null, isTelling: boolean }>
  /** The business's name, as agents give it; empty if it is not set. */
  business: string
  /** Names of members who may answer visitors. */
  people: string[]
  /** Whether business hours are set. */
  hasHours: boolean
  backup: {
    isScheduled: boolean
    /** When the newest was made, in milliseconds since 1970; null if there is none. */
    newest: number | null
    /** Whether the newest is recent enough. */
    isYoung: boolean
    /** Its location: beside the data, on their disk, on another one, or where PostgreSQL's own tools put it. */
    place: 'beside' | 'elsewhere' | 'postgres'
  }
  /** Why the key cannot be used; null if it can. */
  keyFault: string | null
  /** When a copy of the key was seen elsewhere, ISO 8601; null: never. */
  keyCopied: string | null
  version: string
}
