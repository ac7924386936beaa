import type { AuditEvent, AuditReport } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import type { AuditLog } from '../platform/storage/audit.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Filter for an account's events. */
interface AuditFilter { user?: Id, target?: string }

/** The result of verifying an account's events from the first to the last. */
export type ChainReport = Omit<AuditReport, 'verified_at'>

/** The audit logs of accounts. */
export interface AuditStore extends AuditLog {
  /** A page of an account's events, newest first; `next` is null at the end. */
  list (
    owner: Id, filter: AuditFilter, after: string | undefined, limit: number
  ): Promise<{ items: AuditEvent[], next: string | null }>
  /** Reads all events of an account and compares their hashes, in batches. */
  verify (owner: Id): Promise<ChainReport>
}

/** What is deleted with an agent, a user or an account. */
export const auditKept: Keeps = {
  ofAccount: [{ table: 'audit_events', of: 'owner_id = ?' }]
}
