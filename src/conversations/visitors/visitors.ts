import { hash } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import { MOST_ATTRIBUTES, type VisitorName, type VisitorPatch, type VisitorRecord } from '../../../schema/conversations.ts'
import { checkTimeZone, timeZoneNamed } from '../../business/index.ts'
import { invalid } from '../../platform/errors.ts'
import { withChange } from '../../platform/merge.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'

/**
 * Stores visitors. Every method is one transaction; a visitor who is missing, or somebody else's, is `undefined`.
 */
export interface VisitorStore {
  /** Stores a new visitor; undefined if there is no such agent. */
  create (
    owner: Id, visitor: VisitorRecord, once?: IdempotencyKey
  ): Promise<IdempotentResult<VisitorRecord> | undefined>
  /**
   * The visitor of an agent whom the business identifies by a name of its own: changed by `change`, or created from
   * `visitor` if there is none. Undefined if there is no such agent.
   */
  vouchedFor (
    owner: Id, agent: Id, subject: string, visitor: VisitorRecord, change: (visitor: VisitorRecord) => VisitorRecord
  ): Promise<VisitorRecord | undefined>
  get (owner: Id, id: string): Promise<VisitorRecord | undefined>
  /** The names of some of them; missing ones are left out. */
  names (owner: Id, ids: readonly string[]): Promise<VisitorName[]>
  /** Visitors, newest first, of one agent or of all; `next` is null at the end. */
  list (
    owner: Id, filter: { agent?: Id }, cursor: string | undefined, limit: number
  ): Promise<{ items: VisitorRecord[], next: string | null }>
  /** Replaces a visitor by the result of `change`. */
  update (owner: Id, id: string, change: (visitor: VisitorRecord) => VisitorRecord): Promise<VisitorRecord | undefined>
}

/**
 * A visitor's new state; refuses with VALIDATION_ERROR too many attributes, and an unknown time zone. A consent is
 * stored with the digest of its text and the time, as shown.
 */
export function changedVisitor (
  kept: VisitorRecord, { consent, attributes, ...patch }: VisitorPatch, at: string
): VisitorRecord {
  const merged = attributes ? withChange(kept.attributes, attributes) : kept.attributes
  if (Object.keys(merged).length > MOST_ATTRIBUTES) {
    throw invalid({
      field: 'attributes', message: `attributes would be more than ${MOST_ATTRIBUTES}. Remove one by sending null for it.`
    })
  }
  if (patch.time_zone) checkTimeZone(patch.time_zone)
  return {
    ...kept,
    ...patch,
    ...(patch.time_zone && { time_zone: timeZoneNamed(patch.time_zone) ?? null }),
    attributes: merged,
    ...(consent !== undefined && {
      consent: consent === null ? null : { text: consent, hash: hash('sha256', consent), at }
    }),
    last_seen_at: at
  }
}

/** A visitor of whom nothing is known yet. */
export function newVisitor (id: string, owner: Id, agent: Id, at: string): VisitorRecord {
  return {
    id,
    agent,
    owner,
    verified: false,
    external_id: null,
    name: null,
    email: null,
    phone: null,
    attributes: {},
    consent: null,
    time_zone: null,
    place: null,
    created_at: at,
    last_seen_at: at
  }
}
