import type { Id } from '../../../schema/common.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { changesOf } from '../../platform/storage/changes.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { EventBus } from '../../platform/work/event-bus.ts'
import type { Work } from '../../platform/storage/work.ts'

/**
 * Remembers the newest event of each conversation, so that watchers woken because an answer has grown need no query.
 */
interface NewestEvents {
  /** Whether this is known to be the newest one; false if nothing is known. */
  is (owner: Id, conversation: string, event: number): boolean
  /**
   * Call before reading a conversation; the result records the newest event found. Events during the read may have been
   * missed: then nothing is recorded.
   */
  reading (owner: Id, conversation: string): (event: number) => void
  /** A new event, inside its transaction: takes effect on commit. */
  forget (conversation: string): Work<void>
}

/** Most conversations remembered; all are dropped if there are more. */
const CONVERSATIONS_REMEMBERED = 10_000

/** See NewestEvents. */
export function newestEvents (
  db: Pick<Database, 'afterwards' | 'generation'>, neighbours: Pick<Neighbours, 'tell' | 'hear'>,
  eventBus: Pick<EventBus, 'on'>
): NewestEvents {
  const known = new Map<string, { owner: Id, event: number }>()
  const changes = changesOf<string>(db, neighbours, 'newest', (conversation) => known.delete(conversation))
  eventBus.on(['conversation.deleted'], ({ data: { conversation } }) => changes.moved(conversation.id))
  let seen = -1

  function current () {
    const now = db.generation()
    if (now !== seen || known.size >= CONVERSATIONS_REMEMBERED) known.clear()
    seen = now
    return known
  }

  return {
    is (owner, conversation, event) {
      const newest = current().get(conversation)
      return newest?.owner === owner && newest.event === event
    },
    reading (owner, conversation) {
      current()
      const before = changes.generation()
      return (event) => {
        const now = current()
        if (before === changes.generation()) now.set(conversation, { owner, event })
      }
    },
    forget: changes.moved
  }
}
