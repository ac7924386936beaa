import type { Id } from '../../../schema/common.ts'
import { messages, QUIET_SINCE } from '../../../schema/sqlite/conversations.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Secrets } from '../../platform/storage/secrets.ts'
import { flatMapped, type Work } from '../../platform/storage/work.ts'
import { messageOf, type MessageRow } from './rows.ts'

/** A message of a visitor or the agent, and where it is. */
interface RecentlySaid {
  conversation: string
  message: string
  role: 'visitor' | 'agent'
  text: string
}

/** Where a page of messages ends: a conversation, by its last activity. */
interface RecentPlace { quiet: string, number: number }

/** Messages with an agent, in pages; the newest conversations first. */
export interface Recent {
  /**
   * Messages since a time in the next few conversations after a position, and the position of the last one; null if
   * there are no more. Trials of drafts are left out.
   */
  part (
    owner: Id, agent: Id, since: string, after: RecentPlace | null
  ): Promise<{ said: RecentlySaid[], next: RecentPlace | null }>
  /** The latest messages, of each kind 100 at most. */
  lately (owner: Id, agent: Id): Promise<{ asked: string[], answered: string[] }>
}

/** Conversations decrypted per batch, and messages read of each: some 5 ms. */
const [CONVERSATIONS, MESSAGES] = [20, 40]
/** Recent texts to sample, of each kind, and characters of each. */
const [LATELY, BEGINNING] = [100, 500]

/** See Recent. */
export function recentIn (db: Database, secrets: Secrets): Recent {
  const rows = rowsOf(messages)
  const conversations = db.objects<object, { id: string, number: number, secret: Id, quiet: string }>(`
    select id, number, secret, ${QUIET_SINCE} as quiet from conversations indexed by conversations_by_agent_silence
    where agent_id = :agent and ${QUIET_SINCE} between :since and :quiet and (${QUIET_SINCE} < :quiet or number < :number)
      and owner_id = :owner and channel <> 'console'
    order by ${QUIET_SINCE} desc, number desc limit :limit`)
  const said = db.rows<unknown[], unknown[]>(`
    select ${rows.columns} from messages where conversation = ? and role in ('visitor', 'agent') and status <> 'generating'
    order by seq desc limit ?`)

  function * read (
    found: { id: string, number: number, secret: Id }, limit: number
  ): Work<Array<RecentlySaid & { at: string }>> {
    const seal = yield * secrets.seal(found.secret)
    // What can no longer be decrypted is skipped.
    if (!seal) return []
    return (yield * said.all(found.number, limit)).map((row) => {
      const { id, role, text, created_at: at } = messageOf(rows.record(row) as MessageRow, found.id, seal)
      return { conversation: found.id, message: id, role: role as RecentlySaid['role'], text, at }
    })
  }

  const END: RecentPlace = { quiet: '9999', number: Number.MAX_SAFE_INTEGER }

  return {
    part: (owner, agent, since, after) => db.read(function * () {
      const found = yield * conversations.all({ owner, agent, since, ...(after ?? END), limit: CONVERSATIONS })
      const last = found.at(-1)
      return {
        said: yield * flatMapped(found, function * (one) {
          return (yield * read(one, MESSAGES)).filter(({ at }) => at >= since)
        }),
        next: found.length < CONVERSATIONS || !last ? null : { quiet: last.quiet, number: last.number }
      }
    }),
    lately: (owner, agent) => db.read(function * () {
      const found: Record<RecentlySaid['role'], string[]> = { visitor: [], agent: [] }
      for (const one of yield * conversations.all({ owner, agent, since: '', ...END, limit: CONVERSATIONS })) {
        for (const { role, text } of yield * read(one, MESSAGES)) {
          if (text !== '') {
            found[role].push(
              text.slice(0, BEGINNING)
            )
          }
        }
        if (found.visitor.length >= LATELY) break
      }
      return { asked: found.visitor.slice(0, LATELY), answered: found.agent.slice(0, LATELY) }
    })
  }
}
