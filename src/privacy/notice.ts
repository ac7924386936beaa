import type { AgentRecord } from '../../schema/agents.ts'
import type { VisitorRecord } from '../../schema/conversations.ts'
import { inEachLanguage } from '../agents/translated.ts'
import { Refusal } from '../platform/errors.ts'
import { languageFor, languagesWith, textsIn } from '../locales/list.ts'

/** The privacy notice that a visitor sees before they write, and agrees to by writing. */
interface ConsentNotice {
  text: string
  /** The business's page about privacy, or null. */
  privacy_url: string | null
}

/** The settings that determine the notice. */
type Showing = Pick<AgentRecord, 'appearance' | 'behavior' | 'gdpr_settings' | 'translations' | 'privacy_url'>

/** The text recorded with a consent: the notice, and the address below it. */
function consentText ({ text, privacy_url: url }: ConsentNotice): string {
  return url === null ? text : `${text}\n${url}`
}

/** The retention period: our own sentence, if the business has none. */
function sentenceOn (days: number, language: string): string {
  const known = languageFor(language, 'keptFor')
  const time = new Intl.NumberFormat(known, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)
  return textsIn(known, 'keptFor').replace('{{time}}', time)
}

/**
 * The notice of the agent's visitors; undefined if its settings switch it off, or there is nothing to say. Without a
 * text of the business's own, the retention period is given in the visitor's language (`de`, `de-AT`).
 */
export function noticeOf (
  { gdpr_settings: settings, privacy_url: url }: Pick<Showing, 'gdpr_settings' | 'privacy_url'>,
  language?: string | null
): ConsentNotice | undefined {
  const { gdpr_message_display: isShown, data_retention_message: message, data_retention_days: days } = settings
  if (!isShown) return undefined
  const written = message?.trim() ? message : undefined
  const text = written ?? (days === null ? undefined : sentenceOn(days, language?.toLowerCase().split('-')[0] ?? 'en'))
  return text === undefined ? undefined : { text, privacy_url: url }
}

/** The notice in each language, the business's own and ours: agreeing to one is enough. */
function noticesOf (agent: Showing): ConsentNotice[] {
  const written = inEachLanguage(agent).flatMap((one) => noticeOf(one) ?? [])
  if (agent.gdpr_settings.data_retention_message?.trim()) return written
  return [...written, ...languagesWith('keptFor').flatMap((language) => noticeOf(agent, language) ?? [])]
}

/** Whether a visitor has agreed to the current notice; true if there is none. */
export function hasConsented (agent: Showing, { consent }: Pick<VisitorRecord, 'consent'>): boolean {
  const notices = noticesOf(agent)
  return notices.length === 0 || notices.some((notice) => consent?.text === consentText(notice))
}

/**
 * The consent of a visitor who says which text they saw: the recorded text is the one shown. Refuses with
 * `notice_changed` when the notice was changed meanwhile, since nobody can agree to what they have not seen.
 */
export function consentTo (agent: Showing, seen: string): string {
  const notice = noticesOf(agent).find(({ text }) => text === seen)
  if (!notice) {
    throw new Refusal(
      'notice_changed', 'The notice about your data has changed. Read it again, then go on.'
    )
  }
  return consentText(notice)
}

/** Refuses with `consent_missing` a visitor who has not agreed to the current notice. */
export function checkConsented (agent: Showing, visitor: Pick<VisitorRecord, 'consent'>) {
  if (hasConsented(agent, visitor)) return
  throw new Refusal(
    'consent_missing', 'Please read the notice about your data and agree to it first.', { fields: { missing: ['consent'] } }
  )
}

/** Which details may be requested of a visitor, and which are required. */
interface Collected { name: 'required' | 'no', email: 'required' | 'no', phone: 'optional' | 'no' }

const ALL: Collected = { name: 'required', email: 'required', phone: 'optional' }
const NONE: Collected = { name: 'no', email: 'no', phone: 'no' }

/**
 * The details requested of an agent's visitors: with `collectVisitorData` name and e-mail address, and optionally a
 * phone number, before the first message; without it only an address, and only when a ticket needs one.
 */
export function collectedBy (
  { behavior: { collectVisitorData: isCollecting } }: Asking, isForTicket = false
): Collected {
  if (isCollecting) return ALL
  return isForTicket ? { ...NONE, email: 'required' } : NONE
}

type Person = Pick<VisitorRecord, 'name' | 'email' | 'phone'>
type Asking = Pick<AgentRecord, 'behavior'>

/** Required details that a visitor has not given. */
export function missingOf (agent: Asking, visitor: Person, isForTicket = false): Array<'name' | 'email'> {
  const wanted = collectedBy(agent, isForTicket)
  return (['name', 'email'] as const).filter((field) => wanted[field] === 'required' && visitor[field] === null)
}

/** Refuses with `details_missing`, naming what is missing, a visitor who must first give details. */
export function checkCollected (agent: Asking, visitor: Person, isForTicket = false) {
  const missing = missingOf(agent, visitor, isForTicket)
  if (missing.length === 0) return
  const words = missing.map((field) => field === 'email' ? 'your e-mail address' : 'your name')
  throw new Refusal('details_missing', `Please tell us ${words.join(' and ')} first.`, { fields: { missing } })
}

/** A visitor's details without those that this agent does not collect: only requested ones are stored. */
export function onlyCollected<T extends Partial<Person>> (agent: Asking, said: T, isForTicket = false): T {
  const wanted = collectedBy(agent, isForTicket)
  const kept = Object.entries(said).filter(([field]) => !(field in wanted) || wanted[field as keyof Collected] !== 'no')
  return Object.fromEntries(kept) as T
}
