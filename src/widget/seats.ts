import type { Clock } from '../platform/clock.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'

/** Maximum streams open per visitor: tabs, and leftovers of broken connections. */
export const SEATS_OF_VISITOR = 6
/** Maximum streams per address block: an office full of people, and a fraction of a server's connections. */
export const SEATS_OF_BLOCK = 250
/** How often each server announces its taken seats, and how long an announcement is valid. */
const SAY_MS = 5000
const BELIEVED_MS = 20_000

/** A seat on this server or another: since when it is taken, and until when that is valid. */
interface Seat { id: string, since: number, until: number }

/** An announced seat: whose, its number on that server, how long it has been taken, how long that is valid. */
type SaidOfSeat = [name: string, number: number, forMs: number, believedMs: number]

/** Dependencies of seats. `called`: what kind of seats they are. */
interface SeatsNeeds {
  neighbours: Pick<Neighbours, 'tell' | 'hear' | 'onBeat'>, clock: Pick<Clock, 'monotonic'>, called: string, most: number
}

/** Gives each stream of a name a seat, at most `most` at a time across all servers; one too many takes the oldest's. */
export function openSeats ({ neighbours, clock, called, most }: SeatsNeeds) {
  const taken = new Map<string, Seat[]>()
  const own = new Map<number, { name: string, since: number }>()
  const topic = `seats/${called}`
  const now = () => clock.monotonic()
  let given = 0
  let said = now()

  const held = (name: string) => taken.get(name)?.filter(({ until }) => until > now()) ?? []
  function keep (name: string, seats: Seat[]) {
    if (seats.length > 0) taken.set(name, seats)
    else taken.delete(name)
  }
  const without = (name: string, id: string) => held(name).filter((one) => one.id !== id)
  /** Seats are ordered by when they were taken, on whichever server. */
  const put = (name: string, seat: Seat) =>
    keep(name, [...without(name, seat.id), seat].sort((a, b) => a.since - b.since).slice(-most))

  const say = (seats: SaidOfSeat[]) => neighbours.tell(topic, seats)
  neighbours.hear(topic, (seats, process) => {
    for (const [name, number, forMs, believedMs] of seats as SaidOfSeat[]) {
      const id = `${process} ${number}`
      if (believedMs > 0) put(name, { id, since: now() - forMs, until: now() + believedMs })
      else keep(name, without(name, id))
    }
  })
  neighbours.onBeat(() => {
    if (now() - said < SAY_MS) return
    said = now()
    if (own.size > 0) say([...own].map(([number, { name, since }]) => [name, number, now() - since, BELIEVED_MS]))
    // Seats of a server that went away without releasing them expire.
    for (const name of taken.keys()) keep(name, held(name))
  })

  return function take (name: string) {
    const number = ++given
    const id = ` ${number}`
    put(name, { id, since: now(), until: Infinity })
    own.set(number, { name, since: now() })
    say([[name, number, 0, BELIEVED_MS]])
    return {
      isMine: () => taken.get(name)?.some((one) => one.id === id) ?? false,
      leave () {
        own.delete(number)
        keep(name, without(name, id))
        say([[name, number, 0, 0]])
      }
    }
  }
}
