import { customType } from 'drizzle-orm/sqlite-core'
import type { ActionLimits, Parameter, ResultOf } from '../actions.ts'
import { AGENT_DEFAULTS, DEFAULT_SETTINGS, type AgentSettings, type Term } from '../agents.ts'
import { NO_TARGETS, type Hours, type OwnNotices } from '../business.ts'
import { complete } from '../common.ts'
import type { Attachment, Citation, MessageError, Usage, VisitorRecord } from '../conversations.ts'
import type { FeedConfig, FeedError, FeedLook } from '../feeds.ts'
import type { GuardNote } from '../guards.ts'
import { NEW_COURSE } from '../handoff.ts'
import type { ImportCounts, ImportRecord } from '../imports.ts'
import type { Crawl, SourceError, SourceMetadata } from '../knowledge.ts'
import type { Copy, Removed } from '../privacy.ts'
import type { ProviderSettings, Requester, TicketMessage, TicketRecord } from '../tickets.ts'
import type { WidgetKeyRecord } from '../widget.ts'

/** Default for missing times: before all others. */
const LONG_AGO = '1970-01-01T00:00:00.000000Z'

type Words<Record, Fields extends keyof Record> = { [Field in Fields]: Record[Field] }
type About = Words<
  VisitorRecord, 'external_id' | 'name' | 'email' | 'phone' | 'attributes' | 'consent' | 'time_zone' | 'place'
>

const term: Term = { term: '', means: [] }
const sourceError: SourceError = { code: 'internal_error', message: '', retryable: false }
const metadata: SourceMetadata = {
  format: '',
  file_size: '0B',
  no_of_rows: null,
  no_of_chars: null,
  no_of_pages: null,
  upload_date: LONG_AGO.replace('Z', '+00:00')
}
const crawl: Crawl = { depth: 0, count: 1, refresh_hours: null, include: [], exclude: [] }
const feedError: FeedError = { code: 'unavailable', message: '', since: LONG_AGO }
const feedLook: FeedLook = {
  at: LONG_AGO, seen: 0, new: 0, changed: 0, gone: 0, failed: 0, bytes: 0, found_at: null, found: [], waiting: []
}
const importFile: ImportRecord['files'][number] = { name: '', bytes: 0, blob: 0 }
const importError: NonNullable<ImportRecord['error']> = { code: 'internal_error', message: '' }
const importCounts: ImportCounts = { carried: 0, changed: 0, not_carried: 0, ignored: 0 }
const usage: Usage = {
  input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: null, first_ms: null, total_ms: null
}
const citation: Citation = { n: 1, source: 1, title: '', url: null, page: null, quote: '', start: 0, end: 0, checked_at: null }
const attachment: Attachment = { id: '', name: '', bytes: 0, url: '' }
const messageError: MessageError = { code: 'internal_error', message: '' }
const guardNote: GuardNote = { rule: '', did: 'mask' }
const consent: NonNullable<VisitorRecord['consent']> = { text: '', hash: '', at: LONG_AGO }
const about: About = {
  external_id: null, name: null, email: null, phone: null, attributes: {}, consent: null, time_zone: null, place: null
}
const hours: Hours = { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] }
const notices: OwnNotices = { waiting: '', taken: '', returned: '', ticket: '', closed: '' }
const removed: Removed = { conversations: 0, messages: 0, attachments: 0, visitors: 0, tickets: 0 }
const copy: Copy = { kind: 'delivery', system: '', reference: null, at: LONG_AGO }
const providerSettings: ProviderSettings = {}
const requester: Requester = { name: null, email: null }
const ticket: Words<TicketRecord, 'requester' | 'subject' | 'description'> = {
  requester: null, subject: '', description: ''
}
const ticketMessage: Words<TicketMessage, 'text' | 'from'> = { text: '', from: null }
const parameter: Parameter = {
  name: '',
  in: 'query',
  type: 'string',
  description: '',
  required: false,
  enum: [],
  pattern: '',
  max: 200,
  from: 'model',
  value: null
}
const actionResult: ResultOf = { pick: [], max_bytes: 65_536 }
const actionLimits: ActionLimits = { timeout_ms: 10_000, per_conversation: 20, per_day: 1000 }
const identitySecret: WidgetKeyRecord['identity_secrets'][number] = { id: 1, created_at: LONG_AGO }

/**
 * Defaults for fields missing from JSON that was stored before the field existed, in columns and in sealed data. A new
 * field of these shapes does not compile until it is added here.
 */
export const DEFAULTS = {
  ...AGENT_DEFAULTS,
  term,
  course: NEW_COURSE,
  sourceError,
  metadata,
  crawl,
  /** Settings by kind, all of them optional. */
  feedConfig: {} as FeedConfig,
  feedError,
  feedLook,
  usage,
  citation,
  attachment,
  messageError,
  guardNote,
  consent,
  about,
  hours,
  notices,
  targets: NO_TARGETS,
  removed,
  copy,
  providerSettings,
  requester,
  ticket,
  ticketMessage,
  identitySecret,
  parameter,
  actionResult,
  actionLimits,
  importFile,
  importError,
  importCounts,
  /** By language code, all of them optional. */
  replyTexts: {} as Record<string, string>,
  /** Why something was not sent. */
  fault: { code: 'internal_error', message: '' }
}
type Defaults = typeof DEFAULTS

/** A JSON column, completed with the defaults of its kind. */
export const completed = <Kind extends keyof Defaults> (kind: Kind) =>
  json((value) => complete<Defaults[Kind]>(DEFAULTS[kind], value as Partial<Defaults[Kind]>))

/** A JSON list column, each entry completed with the defaults of its kind. */
export const completedList = <Kind extends keyof Defaults> (kind: Kind) =>
  json((value) => (value as Array<Partial<Defaults[Kind]>>).map((one) => complete<Defaults[Kind]>(DEFAULTS[kind], one)))

/** Stored settings of an agent, completed with defaults. */
export const completedSettings = (written: Partial<AgentSettings>): AgentSettings =>
  complete(DEFAULT_SETTINGS, written)

/** A column of an agent's settings. */
export const settings = () => json((value) => completedSettings(value as Partial<AgentSettings>))

/** A JSON list column of strings or numbers, in which nothing can be missing. */
export const listOf = <Entry extends string | number = string> () => json((value) => value as Entry[])

function json<T> (read: (value: unknown) => T) {
  return customType<{ data: T, driverData: string }>({
    dataType: () => 'text', fromDriver: (text) => read(JSON.parse(text)), toDriver: (value) => JSON.stringify(value)
  })()
}
