import type { Id } from '../../schema/common.ts'
import type { Copy, ReceiptRecord, RemovalKind, Removed } from '../../schema/privacy.ts'
import { timestamp } from '../platform/clock.ts'

/*
 * Retention periods, as pure decisions; removing.sqlite.ts applies them.
 */

const DAY_MICROS = 86_400_000_000

/** Conversations without a message since then are expired. `now`: microseconds since 1970. */
export function silentSince (days: number, now: number): string {
  return timestamp(Math.max(0, now - days * DAY_MICROS))
}

/** The server's automatic backups: how often, and how many are kept; null if it makes none. */
export type BackupPlan = { everyMs: number, keep: number } | null

/**
 * Until when a backup may contain what is removed now: the last one with it is made just before, and is deleted when
 * this many newer ones exist.
 */
export function backupsUntil (plan: BackupPlan, now: number): string | null {
  return plan && timestamp(now + plan.everyMs * plan.keep * 1000)
}

/** Nothing yet. */
export const NOTHING: Removed = { conversations: 0, messages: 0, attachments: 0, visitors: 0, tickets: 0 }

/** The sum of both. */
export function plus (a: Removed, b: Partial<Removed>): Removed {
  return {
    conversations: a.conversations + (b.conversations ?? 0),
    messages: a.messages + (b.messages ?? 0),
    attachments: a.attachments + (b.attachments ?? 0),
    visitors: a.visitors + (b.visitors ?? 0),
    tickets: a.tickets + (b.tickets ?? 0)
  }
}

/** What a receipt is about. */
export interface Occasion {
  kind: RemovalKind
  agent: Id
  visitor: string | null
  data_retention_days: number | null
  silent_since: string | null
}

/**
 * A receipt after further removals for the same reason: the open one, or a new one. Undefined if nothing was removed,
 * so that such a day leaves no receipt.
 */
export function receiptAfter (
  open: ReceiptRecord | undefined,
  occasion: Occasion,
  more: { removed: Partial<Removed>, copies?: readonly Copy[] },
  { owner, now, plan, isDone }: { owner: Id, now: number, plan: BackupPlan, isDone: boolean }
): (Omit<ReceiptRecord, 'id'> & { id?: Id }) | undefined {
  const removed = plus(open?.removed ?? NOTHING, more.removed)
  if (!open && Object.values(removed).every((count) => count === 0)) return undefined
  return {
    ...open,
    ...occasion,
    owner,
    removed,
    copies: together([...(open?.copies ?? []), ...(more.copies ?? [])]),
    // The youngest backup that has some of it is the one that counts.
    backups_until: backupsUntil(plan, now),
    created_at: open?.created_at ?? timestamp(now),
    finished_at: isDone ? timestamp(now) : null
  }
}

/** Each copy once, with the time of the latest. */
function together (copies: readonly Copy[]): Copy[] {
  const byName = new Map<string, Copy>()
  for (const copy of copies) {
    const name = JSON.stringify([copy.kind, copy.system, copy.reference])
    const known = byName.get(name)
    if (!known || known.at < copy.at) byName.set(name, copy)
  }
  return [...byName.values()]
}

/** `This will remove 412 conversations with 3,120 messages and 2 files, and 398 visitors.` */
export function previewSentence (
  days: number | null, { conversations, messages, attachments, visitors, tickets }: Removed
): string {
  if (days === null) return 'Nothing is removed: conversations of this agent are kept until they are deleted.'
  if (conversations + visitors + tickets === 0) return 'This removes nothing today.'
  const counted = (count: number, one: string) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
  const files = attachments > 0 ? ` and ${counted(attachments, 'file')}` : ''
  const others = tickets > 0 ? `, ${counted(tickets, 'ticket')} without a conversation` : ''
  return `This will remove ${counted(conversations, 'conversation')} with ${counted(messages, 'message')}${files}${others}, and ${counted(visitors, 'visitor')}.`
}
