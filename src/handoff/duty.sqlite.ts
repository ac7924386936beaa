import type { Id } from '../../schema/common.ts'
import { type BusinessStore, closesWithin, isOpen } from '../business/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { together } from '../platform/neighbours/together.ts'
import { anyOf, filtered, type Work } from '../platform/storage/work.ts'
import type { JobRequest } from '../platform/work/jobs.ts'
import { type Hand, hasRoom, MOST_COMPARED } from './desk/offers.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'

/** Whether one is on duty, and why. */
interface DutyState {
  on: boolean | null
  is_console_open: boolean
  is_open: boolean
  is_on_duty: boolean
  /** Conversations they hold at once before none is offered to them; null: no limit. */
  capacity: number | null
}

/** Who is on duty for visitors: those with a console open or set so, within the business's hours. */
export interface DutyStore {
  of (owner: Id, user: Id): Promise<DutyState>
  /**
   * Sets whether somebody is on duty; null: whenever a console is open. `capacity` stays if it is left out.
   */
  set (owner: Id, user: Id, on: boolean | null, capacity?: number | null): Promise<DutyState>
  /** Whether a member is there, by membership id. Undefined if there is no such member. */
  ofMember (owner: Id, member: Id): Promise<DutyState | undefined>
  /** How many conversations a member takes at once. Undefined if there is no such member. */
  limit (owner: Id, member: Id, capacity: number | null): Promise<DutyState | undefined>
  /** Somebody opens a console; returns what to call on closing it. */
  enter (owner: Id, user: Id): () => void
  /** Whether they have a console open now; also for use inside a transaction. */
  hasConsole (owner: Id, user: Id): boolean
  /**
   * Somebody is no longer a member, or may no longer answer: their settings are deleted, and what they held waits for
   * somebody else; in the same transaction.
   */
  forget (owner: Id, user: Id, member: Id): Work<void>
  /** Those on duty now, and their workload; inside a transaction. */
  hands (owner: Id): Work<Hand[]>
  /** Whether anybody on duty may be offered another conversation. */
  hasRoom (owner: Id): Promise<boolean>
  /** Who is on duty now, within the hours. */
  there (owner: Id): Promise<Id[]>
  /** Whether a user is a member who may answer visitors; inside a transaction. */
  mayAnswer (owner: Id, user: Id): Work<boolean>
  /** Whether anybody is on duty now. */
  isAnybodyOn (owner: Id): Promise<boolean>
  /**
   * Whether anybody is on duty now, and how soon the hours end, if within this many milliseconds; inside a transaction
   * too.
   */
  now (owner: Id, withinMs: number): Work<{ isOnDuty: boolean, dutyEndsInMs: number | undefined }>
}

/** The kind of the job for waiting conversations when somebody leaves. */
export const LEFT = 'handoff.left'
/** Somebody came, or has more room: waiting ones are offered to them. */
export const CAME = 'handoff.came'
/** Somebody is no longer a member. Its subject is the membership, since a user may leave several accounts. */
export const GONE = 'handoff.gone'
/** A console closed and reopened within this time was only reloaded. */
const RELOAD_MS = 20_000

/** See DutyStore. Settings are stored; open consoles are known only to the serving processes. */
export function sqliteDutyStore ({
  db, clock, jobs, neighbours, onFault, business, teamHands
}: Pick<Kernel, 'db' | 'clock' | 'jobs' | 'neighbours' | 'onFault'> & {
  business: BusinessStore, teamHands: TeamHands
}): DutyStore {
  const said = db.column<[Id, Id], number>('select "on" from duties where owner_id = ? and user_id = ?')
  const allOn = db.column<[Id], number>('select 1 from duties where owner_id = ? and "on" = 1 limit 1')
  // Those who left, or may do less, may have a console open for a moment longer.
  const mayAnswer = db.column<[Id, Id], number>(
    "select 1 from members, json_each(permissions) where account_id = ? and user_id = ? and value = 'REPLY_CONVERSATION'"
  )
  const userOf = db.column<[Id, Id], Id>('select user_id from members where account_id = ? and id = ?')
  const put = db.objects(
    'insert into duties (owner_id, user_id, "on") values (?, ?, ?) on conflict (owner_id, user_id) do update set "on" = excluded."on"'
  )
  const remove = db.objects('delete from duties where owner_id = ? and user_id = ?')
  /** Consoles of each user of each account: how many are open, and until when a closed one may come back. */
  const consoles = new Map<Id, Map<Id, { open: number, until: number }>>()
  const elsewhere = together(neighbours, 'consoles', {
    clock,
    onChange (name, isOpen) {
      const [owner, user] = name.split(' ').map(Number) as [Id, Id]
      const theirs = consolesOf(owner, user)
      if (!isOpen) theirs.until = clock.monotonic() + RELOAD_MS
    }
  })
  const nameOf = (owner: Id, user: Id) => `${owner} ${user}`

  /** A user's consoles, created if missing. */
  function consolesOf (owner: Id, user: Id) {
    const users = consoles.get(owner) ?? new Map<Id, { open: number, until: number }>()
    const theirs = users.get(user) ?? { open: 0, until: 0 }
    consoles.set(owner, users.set(user, theirs))
    return theirs
  }

  const hasConsole = (owner: Id, user: Id) =>
    (consoles.get(owner)?.get(user)?.open ?? 0) > 0 || elsewhere.isElsewhere(nameOf(owner, user))

  const isPresent = (owner: Id, user: Id) =>
    hasConsole(owner, user) || clock.monotonic() < (consoles.get(owner)?.get(user)?.until ?? 0)

  function * onOf (owner: Id, user: Id): Work<boolean | null> {
    const on = yield * said.get(owner, user)
    return on === undefined ? null : on === 1
  }

  function * isAnybodyThere (owner: Id): Work<boolean> {
    return (
      (yield * allOn.get(owner)) === 1 ||
      (yield * anyOf([...(consoles.get(owner)?.keys() ?? [])],
        function * (user) {
          return isPresent(owner, user) &&
            (yield * onOf(owner, user)) !== false &&
            (yield * mayAnswer.get(owner, user)) === 1
        }
      ))
    )
  }

  function * stateOf (owner: Id, user: Id): Work<DutyState> {
    const on = yield * onOf(owner, user)
    const isConsoleOpen = isPresent(owner, user)
    const isWithin = isOpen(yield * business.of(owner), clock.micros())
    return {
      on,
      is_console_open: isConsoleOpen,
      is_open: isWithin,
      is_on_duty: isWithin && (on ?? isConsoleOpen),
      capacity: yield * teamHands.capacityOf(owner, user)
    }
  }

  function * now (owner: Id, withinMs: number) {
    const settings = yield * business.of(owner)
    const micros = clock.micros()
    return {
      isOnDuty: isOpen(settings, micros) && (yield * isAnybodyThere(owner)),
      dutyEndsInMs: closesWithin(settings, micros, withinMs)
    }
  }

  const came = (owner: Id) => ({ kind: CAME, subject: owner, owner })

  /** Queues work outside of a transaction; no effect if the server stops. */
  function tell (job: JobRequest) {
    jobs.queue.ask([job]).catch((error) => {
      if (db.isOpen()) onFault(error)
    })
  }

  /** Those waiting are handled when nobody is on duty any more. */
  function * left (owner: Id, inMs: number) {
    yield * jobs.ask({ kind: LEFT, subject: owner, owner, inMs })
  }

  function * hands (owner: Id): Work<Hand[]> {
    if (!isOpen(yield * business.of(owner), clock.micros())) return []
    return yield * filtered(yield * teamHands.all(owner), function * ({ user }) {
      return (yield * onOf(owner, user)) ?? isPresent(owner, user)
    })
  }

  return {
    * forget (owner, user, member) {
      yield * remove.run(owner, user)
      yield * left(owner, 0)
      yield * jobs.ask({ kind: GONE, subject: member, owner, payload: { user } })
    },
    hands,
    hasRoom: async (owner) => (await db.read(() => hands(owner))).some(hasRoom),
    there: async (owner) => (await db.read(() => hands(owner))).map(({ user }) => user),
    * mayAnswer (owner, user) { return (yield * mayAnswer.get(owner, user)) === 1 },
    hasConsole,
    of: async (owner, user) => db.read(() => stateOf(owner, user)),
    set: (owner, user, on, capacity) =>
      db.atomically(function * () {
        if (on === null) yield * remove.run(owner, user)
        else yield * put.run(owner, user, Number(on))
        if (on !== true) yield * left(owner, 0)
        if (capacity !== undefined) yield * teamHands.limit(owner, user, capacity)
        if (on !== false) yield * jobs.ask(came(owner))
        return yield * stateOf(owner, user)
      }),
    ofMember: async (owner, member) => db.read(function * () {
      const user = yield * userOf.get(owner, member)
      return user === undefined ? undefined : (yield * stateOf(owner, user))
    }),
    limit: (owner, member, capacity) =>
      db.atomically(function * () {
        const user = yield * userOf.get(owner, member)
        if (user === undefined) return undefined
        yield * teamHands.limit(owner, user, capacity)
        // They may have room for what waits.
        yield * jobs.ask(came(owner))
        return yield * stateOf(owner, user)
      }),
    enter (owner, user) {
      const mine = consolesOf(owner, user)
      if (mine.open++ === 0) elsewhere.enter(nameOf(owner, user))
      tell(came(owner))
      return () => {
        mine.open -= 1
        mine.until = clock.monotonic() + RELOAD_MS
        if (mine.open > 0) return
        elsewhere.leave(nameOf(owner, user))
        // A stopping server closes all consoles: those who wait have a separate job, which comes due anyway.
        tell({ kind: LEFT, subject: owner, owner, inMs: RELOAD_MS })
      }
    },
    isAnybodyOn: async (owner) => db.read(function * () { return (yield * now(owner, 0)).isOnDuty }),
    now
  }
}

/** No capacity is larger. */
const LARGEST_CAPACITY = 1000

/** The workload of a team's members. Every method runs inside the caller's transaction. */
interface TeamHands {
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
