import type { Id } from '../../../schema/common.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { changesOf } from '../../platform/storage/changes.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Announcements } from '../../platform/work/announcements.ts'
import type { Work } from '../../platform/storage/work.ts'

/**
 * Remembers which event of a conversation is its newest, so that watchers who are woken because an answer has grown ask
 * nothing of the tables.
 */
interface NewestEvents {
  /** Whether this is known to be the newest one; false where nothing is known. */
  is (owner: Id, conversation: string, event: number): boolean
  /**
   * Before a conversation is read; the answer notes the newest event that was found. What happened while it was read
   * may not have been seen: then nothing is noted.
   */
  reading (owner: Id, conversation: string): (event: number) => void
  /** Something happens in it, inside the transaction of that: counts once it is committed. */
  forget (conversation: string): Work<void>
}

/** Conversations remembered; forgotten together when there are more. */
const MOST = 10_000

/** See NewestEvents. */
export function newestEvents (
  db: Pick<Database, 'afterwards' | 'generation'>, neighbours: Pick<Neighbours, 'tell' | 'hear'>,
  announcements: Pick<Announcements, 'on'>
): NewestEvents {
  const known = new Map<string, { owner: Id, event: number }>()
  const changes = changesOf<string>(db, neighbours, 'newest', (conversation) => known.delete(conversation))
  announcements.on(function * (one) {
    if (one.type === 'conversation.deleted') yield * changes.moved(one.data.conversation.id)
  })
  let seen = -1

  function current () {
    const now = db.generation()
    if (now !== seen || known.size >= MOST) known.clear()
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
