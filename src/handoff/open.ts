import { namesIn } from '../access/index.ts'
import type { Id } from '../../schema/common.ts'
import type { BusinessStore } from '../business/index.ts'
import { inboxOf, type Conversations, type HandoffPolicy } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Exporter } from '../personal-data/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import { type DutyStore, sqliteDutyStore, teamHandsIn } from './duty.sqlite.ts'
import { openLookers, type Lookers } from './desk/looking.ts'
import { namedToVisitors, type NameForVisitors } from './desk/named.ts'
import { exportedNotes, exportedSeen } from './exported.ts'
import { sqliteNoteStore, type NoteStore } from './notes.sqlite.ts'
import { handoffPolicy, type Table } from './policy.ts'
import { sqliteSeenStore, type SeenStore } from './seen.sqlite.ts'
import { workOnHandoffs } from './work.ts'

/** Who is there for visitors, and who speaks: what conversations are held by. */
export interface Duty {
  duty: DutyStore
  policy: HandoffPolicy
  /** The account's settings, the time, and whether anybody is on duty. */
  momentOf: (owner: Id) => Promise<{
    business: Awaited<ReturnType<BusinessStore['get']>>, micros: number, isOnDuty: boolean
  }>
}

/** Opens it, before conversations. */
export function openDuty (kernel: Kernel, { business, isFollowedUp, table }: {
  business: BusinessStore
  /** Whether a follow-up is still to come; run inside the transaction. */
  isFollowedUp: (conversation: string) => Work<boolean>
  /** Overridden in tests only. */
  table?: Table | undefined
}): Duty {
  const { db, clock } = kernel
  const duty = sqliteDutyStore({ ...kernel, business, teamHands: teamHandsIn(kernel) })
  return {
    duty,
    policy: handoffPolicy({ duty, business, clock, isFollowedUp, nameOf: namesIn(db), table }),
    momentOf: async (owner) => (
      { business: await business.get(owner), micros: clock.micros(), isOnDuty: await duty.isAnybodyOn(owner) }
    )
  }
}

/** What people do in conversations. */
export interface Handoff {
  notes: NoteStore
  seen: SeenStore
  lookers: Lookers
  /** The name that visitors see for the person who answers them. */
  nameForVisitors: NameForVisitors
  exported: Record<'notes' | 'seen', Exporter>
}

/** Opens it on conversations, whose timers run from then on. */
export function openHandoff (kernel: Kernel, { business, conversations, duty }: {
  business: BusinessStore, conversations: Conversations, duty: DutyStore
}): Handoff {
  const { db, clock, worker, neighbours, notifier } = kernel
  const [notes, seen] = [sqliteNoteStore({ ...kernel, tell: conversations.tell }), sqliteSeenStore(kernel)]
  workOnHandoffs(worker, conversations, duty)
  return {
    notes,
    seen,
    lookers: openLookers(clock, neighbours, (owner) => notifier.notify(inboxOf(owner))),
    nameForVisitors: namedToVisitors({ db, business, nameOf: namesIn(db) }),
    exported: { notes: exportedNotes(notes), seen: exportedSeen(seen) }
  }
}
