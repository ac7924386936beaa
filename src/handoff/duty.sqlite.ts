import type { Id } from '../../schema/common.ts'
import { closesWithin, isOpen, type BusinessStore } from '../business/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { JobRequest } from '../platform/work/jobs.ts'
import type { TeamHands } from './desk/hands.sqlite.ts'
import type { Hand } from './desk/offers.ts'

/** Whether somebody is there, and why. */
export interface DutyState {
  on: boolean | null
  is_console_open: boolean
  is_open: boolean
  is_on_duty: boolean
  /** Conversations that they hold at once before none is offered to them; null: no limit. */
  capacity: number | null
}

/** Who is there for visitors: whoever has a console open or has said so, within the hours of the business. */
export interface DutyStore {
  of (owner: Id, user: Id): Promise<DutyState>
  /**
   * Says that somebody is there, or is not; null: whenever a console is open. `capacity` stays where it is left out.
   */
  set (owner: Id, user: Id, on: boolean | null, capacity?: number | null): Promise<DutyState>
  /** Whether a member is there, by the id of the membership. Undefined where there is no such member. */
  ofMember (owner: Id, member: Id): Promise<DutyState | undefined>
  /** How many conversations a member takes at once. Undefined where there is no such member. */
  limit (owner: Id, member: Id, capacity: number | null): Promise<DutyState | undefined>
  /** Somebody opens a console; returns what to call when it is closed. */
  enter (owner: Id, user: Id): () => void
  /** Whether a console of theirs is open now; asked inside a transaction too. */
  hasConsole (owner: Id, user: Id): boolean
  /**
   * Somebody is no member any more, or may not answer: what they have said is forgotten, and what they held waits for
   * somebody else; inside the transaction of it.
   */
  forget (owner: Id, user: Id, member: Id): void
  /** Those who are there for visitors now, and how much they have to do; inside a transaction. */
  hands (owner: Id): Hand[]
  /** Whether somebody is a member who may answer visitors; inside a transaction. */
  mayAnswer (owner: Id, user: Id): boolean
  /**
   * Whether anybody is there now, and how soon the hours end, where that is within so many milliseconds; inside a
   * transaction too.
   */
  now (owner: Id, withinMs: number): { isOnDuty: boolean, dutyEndsInMs: number | undefined }
}

/** The kind of the job that looks after those who wait when somebody leaves. */
export const LEFT = 'handoff.left'
/** Somebody came, or has room for more: what waits is offered to them. */
export const CAME = 'handoff.came'
/** Somebody is no member any more. Its subject is the membership, since a user may leave several accounts. */
export const GONE = 'handoff.gone'
/** A console that is closed and opened again so soon was only loaded anew. */
const RELOAD_MS = 20_000

/** See DutyStore. What was said is kept; who has a console open is known to the process that serves it. */
export function sqliteDutyStore ({
  db, clock, jobs, business, teamHands, onFault
}: {
  db: Database
  clock: Clock
  jobs: Pick<Jobs, 'ask' | 'queue'>
  business: BusinessStore
  teamHands: TeamHands
  onFault: (error: unknown) => void
}): DutyStore {
  const { raw } = db
  const said = raw.prepare<[Id, Id], number>('select "on" from duties where owner_id = ? and user_id = ?').pluck()
  const allOn = raw.prepare<[Id], number>('select 1 from duties where owner_id = ? and "on" = 1 limit 1').pluck()
  // Whoever has left, or may do less, may have a console open for a moment longer.
  const mayAnswer = raw
    .prepare<[Id, Id], number>(
      "select 1 from members, json_each(permissions) where account_id = ? and user_id = ? and value = 'REPLY_CONVERSATION'"
    )
    .pluck()
  const userOf = raw.prepare<[Id, Id], Id>('select user_id from members where account_id = ? and id = ?').pluck()
  const put = raw.prepare(
    'insert into duties (owner_id, user_id, "on") values (?, ?, ?) on conflict (owner_id, user_id) do update set "on" = excluded."on"'
  )
  const remove = raw.prepare('delete from duties where owner_id = ? and user_id = ?')
  /** Consoles of each user of each account: how many are open, and until when one that was closed may come back. */
  const consoles = new Map<Id, Map<Id, { open: number, until: number }>>()

  function isPresent (owner: Id, user: Id): boolean {
    const found = consoles.get(owner)?.get(user)
    return found !== undefined && (found.open > 0 || clock.monotonic() < found.until)
  }

  function onOf (owner: Id, user: Id): boolean | null {
    const on = said.get(owner, user)
    return on === undefined ? null : on === 1
  }

  function isAnybodyThere (owner: Id): boolean {
    return (
      allOn.get(owner) === 1 ||
      [...(consoles.get(owner)?.keys() ?? [])].some(
        (user) => isPresent(owner, user) && onOf(owner, user) !== false && mayAnswer.get(owner, user) === 1
      )
    )
  }

  function stateOf (owner: Id, user: Id): DutyState {
    const on = onOf(owner, user)
    const hasConsole = isPresent(owner, user)
    const isWithin = isOpen(business.of(owner), clock.micros())
    return {
      on,
      is_console_open: hasConsole,
      is_open: isWithin,
      is_on_duty: isWithin && (on ?? hasConsole),
      capacity: teamHands.capacityOf(owner, user)
    }
  }

  const came = (owner: Id) => ({ kind: CAME, subject: owner, owner })

  /** Asks for work outside of a transaction; in vain where the server stops. */
  function tell (job: JobRequest) {
    jobs.queue.ask([job]).catch((error) => {
      if (raw.open) onFault(error)
    })
  }

  /** Those who wait are looked after when nobody is there any more. */
  function left (owner: Id, inMs: number) {
    jobs.ask({ kind: LEFT, subject: owner, owner, inMs })
  }

  return {
    forget (owner, user, member) {
      remove.run(owner, user)
      left(owner, 0)
      jobs.ask({ kind: GONE, subject: member, owner, payload: { user } })
    },
    hands: (owner) => isOpen(business.of(owner), clock.micros())
      ? teamHands.all(owner).filter(({ user }) => onOf(owner, user) ?? isPresent(owner, user))
      : [],
    mayAnswer: (owner, user) => mayAnswer.get(owner, user) === 1,
    hasConsole: (owner, user) => (consoles.get(owner)?.get(user)?.open ?? 0) > 0,
    of: async (owner, user) => db.read(() => stateOf(owner, user)),
    set: (owner, user, on, capacity) =>
      db.atomically(() => {
        if (on === null) remove.run(owner, user)
        else put.run(owner, user, Number(on))
        if (on !== true) left(owner, 0)
        if (capacity !== undefined) teamHands.limit(owner, user, capacity)
        if (on !== false) jobs.ask(came(owner))
        return stateOf(owner, user)
      }),
    ofMember: async (owner, member) => db.read(() => {
      const user = userOf.get(owner, member)
      return user === undefined ? undefined : stateOf(owner, user)
    }),
    limit: (owner, member, capacity) =>
      db.atomically(() => {
        const user = userOf.get(owner, member)
        if (user === undefined) return undefined
        teamHands.limit(owner, user, capacity)
        // They may have room for what waits.
        jobs.ask(came(owner))
        return stateOf(owner, user)
      }),
    enter (owner, user) {
      const users = consoles.get(owner) ?? new Map<Id, { open: number, until: number }>()
      const mine = users.get(user) ?? { open: 0, until: 0 }
      consoles.set(owner, users.set(user, mine))
      mine.open += 1
      tell(came(owner))
      return () => {
        mine.open -= 1
        mine.until = clock.monotonic() + RELOAD_MS
        if (mine.open > 0) return
        // A server that stops closes all consoles: those who wait have a job of their own, which comes due anyway.
        tell({ kind: LEFT, subject: owner, owner, inMs: RELOAD_MS })
      }
    },
    now (owner, withinMs) {
      const settings = business.of(owner)
      const micros = clock.micros()
      return {
        isOnDuty: isOpen(settings, micros) && isAnybodyThere(owner),
        dutyEndsInMs: closesWithin(settings, micros, withinMs)
      }
    }
  }
}
