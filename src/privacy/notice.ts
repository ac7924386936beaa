import { hash } from 'node:crypto'
import type { AgentRecord } from '../../schema/agents.ts'
import type { VisitorRecord } from '../../schema/conversations.ts'
import { Refusal } from '../platform/errors.ts'

/** What a visitor is shown about their data before they write, and agrees to by writing on. */
export interface Notice {
  text: string
  /** The business's page about privacy, or null. */
  privacy_url: string | null
  /** SHA-256 of the whole as it is shown; kept with the consent. */
  hash: string
}

/** The words that a consent is recorded with: the text, and the address that stood below it. */
export function consentText ({ text, privacy_url: url }: Pick<Notice, 'text' | 'privacy_url'>): string {
  return url === null ? text : `${text}\n${url}`
}

/** What the agent's visitors are shown; undefined where its settings say nothing is, or there is nothing to be shown. */
export function noticeOf ({ gdpr_settings: { gdpr_message_display: isShown, data_retention_message: message }, privacy_url: url }: AgentRecord): Notice | undefined {
  if (!isShown || (!message && !url)) return undefined
  const shown = { text: message ?? '', privacy_url: url }
  return { ...shown, hash: hash('sha256', consentText(shown)) }
}

/**
 * The consent of a visitor who says which notice they saw, by its hash: what is recorded is what was shown. Refuses with
 * `conflict` when the notice was changed meanwhile, since nobody can agree to what they have not seen.
 */
export function consentTo (agent: AgentRecord, seen: string): string {
  const notice = noticeOf(agent)
  if (notice?.hash !== seen) throw new Refusal('conflict', 'The notice about your data has changed. Read it again, then go on.')
  return consentText(notice)
}

/** What may be asked of a visitor, and what has to be. */
export interface Collected { name: 'required' | 'no', email: 'required' | 'no', phone: 'optional' | 'no' }

const ALL: Collected = { name: 'required', email: 'required', phone: 'optional' }
const NONE: Collected = { name: 'no', email: 'no', phone: 'no' }

/**
 * What an agent's visitors are asked for: with `collectVisitorData` name and e-mail address, and a phone number if they
 * like, before the first message; without it nothing but an address, and only when a ticket needs one.
 */
export function collectedBy ({ behavior: { collectVisitorData: isCollecting } }: Pick<AgentRecord, 'behavior'>, isForTicket = false): Collected {
  if (isCollecting) return ALL
  return isForTicket ? { ...NONE, email: 'required' } : NONE
}

type Person = Pick<VisitorRecord, 'name' | 'email' | 'phone'>

/** Refuses with `conflict`, naming what is missing, a visitor who must say first who they are. */
export function checkCollected (agent: AgentRecord, visitor: Person, isForTicket = false) {
  const wanted = collectedBy(agent, isForTicket)
  const missing = (['name', 'email'] as const).filter((field) => wanted[field] === 'required' && visitor[field] === null)
  if (missing.length === 0) return
  const words = missing.map((field) => field === 'email' ? 'your e-mail address' : 'your name')
  throw new Refusal('conflict', `Please tell us ${words.join(' and ')} first.`, { fields: { missing } })
}

/** What a visitor says of themselves, without what this agent does not collect: nothing is kept that nobody asked for. */
export function onlyCollected<T extends Partial<Person>> (agent: AgentRecord, said: T, isForTicket = false): T {
  const wanted = collectedBy(agent, isForTicket)
  const kept = Object.entries(said).filter(([field]) => !(field in wanted) || wanted[field as keyof Collected] !== 'no')
  return Object.fromEntries(kept) as T
}
