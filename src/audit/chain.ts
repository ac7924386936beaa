import { hash } from 'node:crypto'
import type { AuditRecord } from '../../schema/audit.ts'

/** The predecessor of an account's first event. */
export const BEGINNING = '0'.repeat(64)

/** The SHA-256 of an event, including that of the one before: changing one requires changing all that follow. */
export function hashOf (
  { owner, at, user, by, key, action, target, fields, previous }: Omit<AuditRecord, 'id' | 'hash'>
): string {
  return hash('sha256', JSON.stringify([previous, owner, at, user, by, key, action, target, fields]))
}

/** What is wrong with an event, given the hash of the one before it; undefined if nothing is. */
export function faultOf (event: AuditRecord, before: string | undefined): string | undefined {
  if (hashOf(event) !== event.hash) return `Event ${event.id} was changed.`
  if (before !== undefined && event.previous !== before) return `Events are missing before event ${event.id}.`
  return undefined
}
