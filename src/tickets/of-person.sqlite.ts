import type { Id } from '../../schema/common.ts'
import type { Requester } from '../../schema/tickets.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { TicketStore } from './store.ts'

const FOUND_AT_ONCE = 100

/** See TicketStore.ofPerson. The requester is sealed, so each is decrypted, in batches; damaged ones match nobody. */
export function ticketsOfPerson (db: Database, secrets: Secrets): TicketStore['ofPerson'] {
  type Row = { number: number, id: string, secret: Id, sealed: Buffer }
  const some = db.objects<[Id, Id, number], Row>(`select number, id, secret, sealed from tickets indexed by tickets_loose
    where owner_id = ? and agent_id = ? and conversation is null and number > ? and ${OF_KEPT_AGENT} order by number limit ${FOUND_AT_ONCE}`)

  function * emailIn ({ id, secret, sealed }: Row): Work<string | undefined> {
    try {
      const words = (yield * secrets.seal(secret))?.open(`ticket/${id}`, sealed).toString() ?? '{}'
      return (JSON.parse(words) as { requester?: Requester | null }).requester?.email?.toLowerCase()
    } catch {
      return undefined
    }
  }

  return async (owner, agent, email) => {
    const wanted = email.toLowerCase()
    const found: string[] = []
    for (let after: number | undefined = 0; after !== undefined;) {
      const at: number = after
      const rows = await db.read(function * () {
        return yield * mapped(yield * some.all(owner, agent, at), function * (row) {
          return { ...row, email: yield * emailIn(row) }
        })
      })
      found.push(...rows.filter((row) => row.email === wanted).map(({ id }) => id))
      after = rows.length < FOUND_AT_ONCE ? undefined : rows.at(-1)?.number
      await nextTurn()
    }
    return found
  }
}
