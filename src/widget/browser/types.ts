/** What the server tells a widget about itself. */
export interface Config {
  key: string
  active: boolean
  appearance: {
    primaryColor: string
    secondaryColor: string
    fontFamily: string
    chatbotName: string
    welcomeMessage: string
    buttonText: string
    position: 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left'
    avatar: { type: string, src: string }
  }
  /** Colours by name, by day and by night. */
  theme: { day: Record<string, string>, night: Record<string, string> }
  suggestions: string[]
  handoff: boolean
  show_on_mobile: boolean
  auto_show_after: number
  collect_visitor_data: boolean
  consent: string | null
  privacy_url: string | null
  white_label: boolean
  /** Whether people are there, until when that is so, and who they are. */
  desk: { open: boolean, until: string | null, people: string[] } | null
  /** What anybody may have done by a button and its form; null: nobody may, whoever vouches for them. */
  actions: OfferedForm[] | null
  files: Record<'panel' | 'form' | 'actions' | 'judge' | 'rating' | 'table' | 'talk', string> & {
    texts: Record<string, string>
  }
}

/** Something that can be done without a word: what its button says, and what its form asks for. */
export interface OfferedForm {
  id: number
  title: string
  parameters: Array<{
    name: string
    type: 'string' | 'integer' | 'number' | 'boolean'
    description: string
    required: boolean
    enum: string[]
    max: number
  }>
}

/** A source that an answer names. */
export interface Citation { n: number, title: string, url: string | null, page: number | null, quote: string }

/** A message as the server shows it to its visitor. */
export interface Message {
  id: string
  conversation: string
  seq: number
  role: 'visitor' | 'agent' | 'person' | 'system'
  text: string
  status: 'generating' | 'complete' | 'stopped' | 'failed'
  citations: Citation[]
  suggestions: string[]
  replaces: string | null
  feedback: { score: 1 | -1, comment: string } | null
  attachments: Array<{ id: string, name: string, bytes: number, url: string }>
  client_id: string | null
  error: { code: string, message: string } | null
  created_at: string
  /** What the person is called who wrote it. */
  person_name: string | null
}

/** A message of the visitor that the server does not have yet. */
export interface Pending {
  client_id: string
  text: string
  files: File[]
  uploaded: string[]
  why: string
  /** How often it was sent. */
  tries: number
  /** `waiting`: for the connection, with which it is sent by itself. */
  state: 'sending' | 'waiting' | 'failed'
}

/** What of a conversation decides how the widget looks. */
export interface Conversation {
  id: string
  status: 'open' | 'waiting' | 'closed'
  handled_by: 'agent' | 'queue' | 'person'
  asks?: Asks
  /** What the person is called who answers, where they may be named. */
  person_name?: string | null
  /** Up to which message the person has seen it who answers. */
  seen_up_to?: number
}

/** A call that the visitor is asked to confirm. */
export interface AskedCall {
  id: string, title: string, digest: string, arguments: Array<{ name: string, description: string, value: string }>
}

/** What the visitor is asked in the middle of a conversation. */
export interface Asks { email?: boolean, call?: AskedCall, rating?: boolean }

/** What happens in a widget that the page may hear of. */
export type Happening = 'ready' | 'open' | 'close' | 'message' | 'error'

/** The small part that is always there, as the panel sees it. */
export interface Host {
  /** Where the server is, with a slash at its end. */
  base: string
  config: Config
  root: ShadowRoot
  /** The panel is the whole page. */
  isPage: boolean
  language: string
  /** The visitor's as far as the page says it, whatever that of the browser is. */
  visitor: string
  identity: string | undefined
  /** Something the page may hear of. */
  tell: (what: Happening, detail?: unknown) => void
  /** Messages that were not seen. */
  unread: (count: number) => void
  close: () => void
}

/** The panel, as the small part sees it. */
export interface Panel {
  /** `focus`: the visitor has asked for it, so the cursor goes there. */
  open (focus: boolean): void
  close (): void
  identify (identity: string): void
  reset (): void
  update (config: Config): void
  destroy (): void
}
