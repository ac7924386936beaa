import { hash } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import { MOST_ATTRIBUTES, type VisitorName, type VisitorPatch, type VisitorRecord } from '../../../schema/conversations.ts'
import { invalid } from '../../platform/errors.ts'
import { withChange } from '../../platform/merge.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'

/**
 * Where visitors rest. Every method is one transaction; a visitor who is missing, or somebody else's, is `undefined`.
 */
export interface VisitorStore {
  /** Keeps a new visitor; undefined when there is no such agent. */
  create (owner: Id, visitor: VisitorRecord, once?: Once): Promise<Outcome<VisitorRecord> | undefined>
  /**
   * The visitor of an agent whom the business vouches for under this name of its own: changed by `change`, or made of
   * `visitor` where there is none. Undefined when there is no such agent.
   */
  vouchedFor (
    owner: Id, agent: Id, subject: string, visitor: VisitorRecord, change: (visitor: VisitorRecord) => VisitorRecord
  ): Promise<VisitorRecord | undefined>
  get (owner: Id, id: string): Promise<VisitorRecord | undefined>
  /** What some of them are called; those that are not there are left out. */
  names (owner: Id, ids: readonly string[]): Promise<VisitorName[]>
  /** Visitors, newest first, of one agent or of all; `next` is null at the end. */
  list (
    owner: Id, filter: { agent?: Id }, cursor: string | undefined, limit: number
  ): Promise<{ items: VisitorRecord[], next: string | null }>
  /** Replaces a visitor by what `change` makes of them. */
  update (owner: Id, id: string, change: (visitor: VisitorRecord) => VisitorRecord): Promise<VisitorRecord | undefined>
}

/**
 * A visitor as they become; refuses with VALIDATION_ERROR more attributes than there may be. A consent is kept with
 * the digest of its text and the time, as it was shown.
 */
export function changedVisitor (
  kept: VisitorRecord, { consent, attributes, ...patch }: VisitorPatch, at: string
): VisitorRecord {
  const own = attributes ? withChange(kept.attributes, attributes) : kept.attributes
  if (Object.keys(own).length > MOST_ATTRIBUTES) {
    throw invalid({
      field: 'attributes', message: `attributes would be more than ${MOST_ATTRIBUTES}. Take one away by sending null for it.`
    })
  }
  return {
    ...kept,
    ...patch,
    attributes: own,
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
    created_at: at,
    last_seen_at: at
  }
}
