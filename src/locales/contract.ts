import type {
  actionsEnglish, english, formEnglish, judgeEnglish, ratingEnglish, talkEnglish
} from './english.ts'

/*
 * What we say ourselves, in each language that has it: a file a language. How much of it a language has is the type
 * that its file satisfies, so that the compiler names what is missing.
 */

/** The fixed sentences of an agent. `{name}` is the agent's name, `{contact}` an e-mail address. */
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
  /** To a complaint that asks nothing. */
  sorry: string
  bye: string
  /** What it is there for. */
  canHelp: string
  /** Where the business is; `{address}`. */
  ourAddress: string
  /** A request has been passed on to people, and when they answer is not known. */
  whenAnswered: string
}

/** The fixed sentences about calls of actions. `{title}`: what the action is called. */
interface CallWords {
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

/** What visitors are told in a conversation. `{{name}}` is the name of an agent, `{{email}}` an address. */
export interface Notices {
  /** A person is called. */
  waiting: string
  /** A person has come. */
  taken: string
  /** The agent answers again. */
  returned: string
  /** Nobody is there; a ticket is opened. */
  ticket: string
  /** A ticket is opened as intended, whether or not somebody is there. */
  passed: string
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

/** What we say ourselves in mails about conversations. `{{name}}` is the name of an agent. */
export interface MailWords {
  /** Stands above the quoted part: an answer is what is written above it. */
  above: string
  /** Who has written what the agent has. */
  agent: string
  /** Under a mail that nobody asked for: why it came, and what to do. */
  unasked: string
  /** To somebody of the business who has answered a visitor of whom no address is known. */
  held: string
  /**
   * In mails to the business: what those who wrote are called, who asked (`{{who}}`), what stands above the
   * conversation, and the subject of a ticket without one.
   */
  desk: Record<'visitor' | 'person' | 'notice' | 'unknown' | 'from' | 'said' | 'ticket', string>
}

/** How visitors are asked how content they were. `{{name}}`: the agent's; `{{link}}`: the page that a mail leads to. */
interface SatisfactionWords {
  subject: string
  letter: string
  title: string
  worst: string
  best: string
  words: string
  send: string
  thanks: string
  gone: string
}

/** What the widget's buttons, fields and lines say. */
export type WidgetTexts =
  typeof english & typeof talkEnglish & typeof formEnglish & typeof actionsEnglish & typeof judgeEnglish &
  typeof ratingEnglish

/** Why somebody of the team is called: a visitor waits, or has written, or a colleague gave them a conversation. */
export type CallReason = 'waiting' | 'written' | 'given'

/** The weekly mail about what agents did not know. */
interface GapWords {
  subject: string
  intro: string
  agent: string
  share: string
  before: string
  question: string
  answered: string
  more: string
  never: string
  link: string
  why: string
}

/** A language in which an agent has its sentences. */
export interface Sentences {
  agent: Phrases
  calls: CallWords
}

/** One in which visitors are told what happens, here and by mail. */
export interface Spoken extends Sentences {
  notices: Notices
  mail: MailWords
  /** How long what visitors write is kept; `{{time}}`: 30 days. */
  keptFor: string
}

/** The mails with links for signing in. `{team}` is what a team is called, in the form that the sentences need. */
interface LinkWords {
  /** How the sentences name a team, by its name or without. */
  team: string
  some: string
  /** The subject and the sentences of an invitation. */
  join: string
  invited: string
  unexpected: string
  /** The same of a link for choosing a password. */
  choose: string
  password: string
  unasked: string
}

/** One that visitors meet nothing but. */
export interface Whole extends Spoken {
  satisfaction: SatisfactionWords
  widget: WidgetTexts
}

/** One in which people work in the console too. */
export interface Working extends Whole {
  team: {
    /** What is pushed to somebody who is called. */
    called: Record<CallReason, string>
    /** What a visitor without a name is called. */
    from: string
    links: LinkWords
    gaps: GapWords
  }
}

/** What any language has, and what it may have. */
export type Locale = Sentences & Partial<Working>
