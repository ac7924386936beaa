import type { Id } from '../../../schema/common.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Work } from '../../platform/storage/work.ts'
import { MOST_COMPARED, type Hand } from './offers.ts'

/** No capacity is larger. */
const LARGEST_CAPACITY = 1000

/** The workload of a team's members. Every method runs inside the caller's transaction. */
export interface TeamHands {
  /** Members who may answer visitors, on duty or not. */
  all (owner: Id): Work<Hand[]>
  capacityOf (owner: Id, user: Id): Work<number | null>
  /** Conversations a member may hold before no more are offered; null: no limit. */
  limit (owner: Id, user: Id, capacity: number | null): Work<void>
}

/** See TeamHands. */
export function teamHandsIn (
  { db, clock, eventBus }: Pick<Kernel, 'db' | 'clock' | 'eventBus'>
): TeamHands {
  // Counted whole, each of thousands that one who has left had held took longer than the one before to be offered.
  const countedTo = (most: number, column: string) => `(select count(*) from (select 1 from conversations indexed by conversations_by_owner_${column}
    where conversations.owner_id = account_id and ${column} = members.user_id and ${OF_KEPT_AGENT} limit ${most}) as first)`
  const counted = (column: 'person' | 'offered_to') =>
    `case when capacity is null then ${countedTo(MOST_COMPARED, column)} else ${countedTo(LARGEST_CAPACITY, column)} end`
  const all = db.objects<[Id], Hand>(`
    select members.user_id as user, capacity, called_at, ${counted('person')} as holds, ${counted('offered_to')} as offered
    from members left join hands on hands.owner_id = account_id and hands.user_id = members.user_id
    where account_id = ? and exists (select 1 from json_each(permissions) where value = 'REPLY_CONVERSATION')`)
  const capacityOf = db.column<[Id, Id], number | null>('select capacity from hands where owner_id = ? and user_id = ?')
  // Nothing is stored for non-members.
  const setting = (column: 'capacity' | 'called_at') => db.objects(
    `insert into hands (owner_id, user_id, ${column}) select account_id, user_id, :value from members where account_id = :owner and user_id = :user
    on conflict (owner_id, user_id) do update set ${column} = excluded.${column}`
  )
  const limit = setting('capacity')
  const called = setting('called_at')

  eventBus.on(['handoff.offered'], function * ({ owner, data: { to: user } }) {
    yield * called.run({ owner, user, value: clock.micros() })
  })
  eventBus.on(['handoff.taken'], function * ({ owner, data: { person: user } }) {
    yield * called.run({ owner, user, value: clock.micros() })
  })

  return {
    all: (owner) => all.all(owner),
    * capacityOf (owner, user) { return (yield * capacityOf.get(owner, user)) ?? null },
    * limit (owner, user, value) { yield * limit.run({ owner, user, value }) }
  }
}
