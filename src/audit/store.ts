import type { AuditEvent } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import type { AuditLog } from '../platform/storage/audit.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Which events of an account are asked for. */
interface AuditFilter { user?: Id, target?: string }

/** What the events of an account look like when they are read from the first to the last. */
export interface ChainReport {
  /** How many there are. */
  events: number
  /** The first that is kept, and the hash of the last: what to compare with later. Null where there are none. */
  first: Id | null
  head: string | null
  /** What does not fit, in a sentence; undefined where everything does. */
  fault?: string
}

/** The audit logs of accounts. */
export interface AuditStore extends AuditLog {
  /** A part of an account's events, newest first; `next` is null at the end. */
  list (
    owner: Id, filter: AuditFilter, after: string | undefined, limit: number
  ): Promise<{ items: AuditEvent[], next: string | null }>
  /** Reads all events of an account and compares their hashes, some at a time. */
  verify (owner: Id): Promise<ChainReport>
}

/** What goes with an agent, a user or an account. */
export const auditKept: Keeps = {
  ofAccount: [{ table: 'audit_events', of: 'owner_id = ?' }]
}
