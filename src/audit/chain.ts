import { hash } from 'node:crypto'
import type { AuditFault, AuditRecord } from '../../schema/audit.ts'

/** The predecessor of an account's first event. */
export const BEGINNING = '0'.repeat(64)

/** The SHA-256 of an event, including that of the one before: changing one requires changing all that follow. */
export function hashOf (
  { owner, at, user, by, key, action, target, fields, previous }: Omit<AuditRecord, 'id' | 'hash'>
): string {
  return hash('sha256', JSON.stringify([previous, owner, at, user, by, key, action, target, fields]))
}

/** What is wrong with an event, given the hash of the one before it; undefined if nothing is. */
export function faultOf (event: AuditRecord, before: string | undefined): AuditFault['kind'] | undefined {
  if (hashOf(event) !== event.hash) return 'changed'
  return before !== undefined && event.previous !== before ? 'missing' : undefined
}

/** The same in a sentence. */
export function faultSentence ({ event, kind }: AuditFault): string {
  return kind === 'changed' ? `Event ${event} was changed.` : `Events are missing before event ${event}.`
}
