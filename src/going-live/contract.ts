/** Whether something that was asked answers: true, or why it does not, in a sentence; null: it was not asked. */
export type Answers = true | string | null

/** What is true of an installation and of one of its accounts: all that the rules decide by. */
export interface LiveFacts {
  /** The base address; empty where none is set. */
  address: string
  /** Whether the server answers there. */
  addressAnswers: Answers
  /** Whether a proxy is trusted. */
  hasProxy: boolean
  /** The address of a proxy that is in front and is not trusted; null: none was seen. */
  strangeProxy: string | null
  mail: {
    hasServer: boolean
    /** Whether the mail server lets us in. */
    takes: Answers
    /** What mail comes from, without the name; empty where it is not set. */
    from: string
    hasMailbox: boolean
    /** Whether the mailbox lets us in. */
    opens: Answers
  }
  models: {
    /** The models that agents which answer ask for and somebody has, each once. */
    used: string[]
    /** Those that nobody has. */
    unknown: string[]
    /** Whether there are any models at all. */
    isAny: boolean
    /** Why the first that does not answer does not; null: all do. */
    fault: string | null
    /** Tokens of the installation's models a day; 0: no limit; null: the account pays for them itself. */
    dailyTokens: number | null
  }
  /** Agents that answer. */
  agents: Array<{ id: number, name: string, sources: number, days: number | null, isTelling: boolean }>
  /** What the business is called, as agents tell it; empty where it has not said. */
  business: string
  /** Members who may answer visitors, by name. */
  people: string[]
  /** Whether the business has said when people are there. */
  hasHours: boolean
  backup: {
    isScheduled: boolean
    /** When the newest was made, in milliseconds since 1970; null where there is none. */
    newest: number | null
    /** Whether the newest is as young as it has to be. */
    isYoung: boolean
    /** Where it lies: beside the data, on their disk, on another one, or where PostgreSQL's own tools put it. */
    place: 'beside' | 'elsewhere' | 'postgres'
  }
  /** Why the key cannot be used; null where it can. */
  keyFault: string | null
  /** When a copy of the key was seen elsewhere, ISO 8601; null: never. */
  keyCopied: string | null
  version: string
}
