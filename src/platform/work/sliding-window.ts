import type { Clock } from '../clock.ts'

const WINDOW_MS = 60_000
const FORGOTTEN_AT_ONCE = 4

/**
 * Whether one more fits, how many slots are taken, and in how many milliseconds another is free (0 when all are free).
 */
export interface Taken { allowed: boolean, used: number, freesMs: number }

/**
 * Counts per name over the last 60 seconds, exactly: in any 60 seconds, wherever they start, at most `limit` are let
 * through, and a refused one does not count. Stores the time of each that was let through: a name costs some 70 bytes
 * with one, 140 with a few, and 8 to 16 for each further one. Driven by the monotonic clock.
 */
export interface SlidingWindow {
  /** Takes a slot for this name if one is free. */
  take (name: string | number, limit: number): Taken | Promise<Taken>
  /** How many slots this name has taken by now. */
  used (name: string | number): number | Promise<number>
}

/** One with names in this process's memory: it answers synchronously. */
interface OwnWindow extends SlidingWindow {
  take (name: string | number, limit: number): Taken
  used (name: string | number): number
}

/** The times of a name, in order; those before `start` have expired. */
interface Slots { times: number[], start: number }

/** The same as it is stored: most names of a day have one time. */
type Stored = Slots | number

/**
 * A window that remembers names for as long as they use it, and at most `most`; beyond that, those that have been quiet
 * longest are forgotten.
 * `windowMs`: another length than 60 seconds.
 */
export function slidingWindow ({
  clock, most, windowMs = WINDOW_MS
}: {
  clock: Pick<Clock, 'monotonic'>, most: number, windowMs?: number | undefined
}): OwnWindow {
  const names = new Map<string | number, Stored>()

  /** Put back at the end, so that the first is the longest inactive. */
  function store (name: string | number, slots: Slots, now: number) {
    forgetQuiet(now)
    names.delete(name)
    names.set(name, slots.times.length === 1 && slots.start === 0 ? slots.times[0]! : slots)
    if (names.size > most) names.delete(names.keys().next().value!)
  }

  /** Forgets a few names all of whose slots are free again: more than arrive, so that they do not accumulate. */
  function forgetQuiet (now: number) {
    let looked = 0
    for (const [name, stored] of names) {
      const slots = slotsOf(stored)
      expire(slots, now)
      if (usedOf(slots) > 0 || ++looked > FORGOTTEN_AT_ONCE) return
      names.delete(name)
    }
  }

  function expire (slots: Slots, now: number) {
    const { times } = slots
    while (slots.start < times.length && times[slots.start]! <= now - windowMs) slots.start++
    // Half of them at a time, so that each is moved once at most.
    if (slots.start > times.length / 2) {
      times.splice(0, slots.start)
      slots.start = 0
    }
  }

  function state (slots: Slots, limit: number, now: number): Taken {
    expire(slots, now)
    const used = usedOf(slots)
    // After a lowered limit more than one has to expire before the next slot is free.
    const next = slots.times[slots.start + Math.max(0, used - Math.max(limit, 1))]
    return { allowed: used < limit, used, freesMs: next === undefined ? 0 : next + windowMs - now }
  }

  return {
    used (name) {
      const slots = slotsOf(names.get(name))
      expire(slots, clock.monotonic())
      return usedOf(slots)
    },
    take (name, limit) {
      const now = clock.monotonic()
      const slots = slotsOf(names.get(name))
      const taken = state(slots, limit, now)
      if (taken.allowed) add(slots, now)
      store(name, slots, now)
      return taken.allowed ? state(slots, Math.max(limit, usedOf(slots) + 1), now) : taken
    }
  }
}

const slotsOf = (stored: Stored | undefined): Slots =>
  typeof stored === 'object' ? stored : { times: stored === undefined ? [] : [stored], start: 0 }

const usedOf = ({ times, start }: Slots) => times.length - start

function add (slots: Slots, now: number) {
  // An array that is pushed to, or that is written with one more, makes room for sixteen more at once; most names never
  // need it.
  if (slots.times.length < 8) slots.times = slots.times.concat(now)
  else slots.times.push(now)
}
