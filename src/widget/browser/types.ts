/** A widget's settings as sent by the server. */
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
  /** Whether people are available, until when that holds, and who they are. */
  desk: { open: boolean, until: string | null, people: string[] } | null
  /** The actions that anybody may run by a button and its form; null: nobody may, not even verified visitors. */
  actions: OfferedForm[] | null
  files: Record<'panel' | 'form' | 'actions' | 'judge' | 'rating' | 'table' | 'talk', string> & {
    texts: Record<string, string>
  }
}

/** An action that needs no message: its button's label, and its form's arguments. */
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
  /** `canned`: a fixed text, such as a greeting. */
  answered_by?: string | null
  replaces: string | null
  feedback: { score: 1 | -1, comment: string } | null
  attachments: Array<{ id: string, name: string, bytes: number, url: string }>
  client_id: string | null
  error: { code: string, message: string } | null
  created_at: string
  /** The name of the person who wrote it. */
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
  /** `waiting`: for the connection, after which it is sent automatically. */
  state: 'sending' | 'waiting' | 'failed'
}

/** The parts of a conversation that the widget's appearance depends on. */
export interface Conversation {
  id: string
  status: 'open' | 'waiting' | 'closed'
  handled_by: 'agent' | 'queue' | 'person'
  asks?: Asks
  /** The name of the person who answers, if it may be shown. */
  person_name?: string | null
  /** Up to which message the person who answers has seen it. */
  seen_up_to?: number
}

/** A call that the visitor is asked to confirm. */
export interface AskedCall {
  id: string, title: string, digest: string, arguments: Array<{ name: string, description: string, value: string }>
}

/** What the visitor is asked in the middle of a conversation. */
export interface Asks { email?: boolean, call?: AskedCall, rating?: boolean }

/** Events of a widget that the page may listen to. */
export type WidgetEvent = 'ready' | 'open' | 'close' | 'message' | 'error'

/** The small part that is always loaded, as the panel sees it. */
export interface Host {
  /** The server's base URL, with a trailing slash. */
  base: string
  config: Config
  root: ShadowRoot
  /** Whether the panel fills the whole page. */
  isPage: boolean
  language: string
  /** The visitor's language as declared by the page, regardless of the browser's. */
  visitor: string
  identity: string | undefined
  /** Emits an event the page may listen to. */
  tell: (what: WidgetEvent, detail?: unknown) => void
  /** Sets the number of unread messages. */
  unread: (count: number) => void
  close: () => void
}

/** The panel, as the small part sees it. */
export interface Panel {
  /** `focus`: the visitor opened it, so the focus moves there. */
  open (focus: boolean): void
  close (): void
  identify (identity: string): void
  reset (): void
  update (config: Config): void
  destroy (): void
}
