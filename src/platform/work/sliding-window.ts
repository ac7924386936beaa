import type { Clock } from '../clock.ts'

const WINDOW_MS = 60_000
const FORGOTTEN_AT_ONCE = 4

/**
 * Whether one more fits, how many are inside, and in how many milliseconds another slot frees (0 when all are free).
 */
export interface Taken { allowed: boolean, used: number, freesMs: number }

/**
 * Counts per name over the last 60 seconds, exactly: in any 60 seconds, wherever they start, at most `limit` are let
 * through, and a refused one does not count. Keeps the time of each that was let through, in a ring that grows only as
 * far as it is used, so a name costs at most 8 bytes a request of its limit. Driven by the monotonic clock.
 */
export interface SlidingWindow {
  /** Takes a slot for this name if one is free. */
  take (name: string | number, limit: number): Taken | Promise<Taken>
  /** How many this name has taken by now. */
  used (name: string | number): number | Promise<number>
}

/** One whose names are in the memory of this process: it answers at once. */
export interface OwnWindow extends SlidingWindow {
  take (name: string | number, limit: number): Taken
  used (name: string | number): number
}

interface Ring { times: Float64Array, start: number, size: number }

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
  const rings = new Map<string | number, Ring>()

  function ringOf (name: string | number, now: number): Ring {
    forgetQuiet(now)
    const ring = rings.get(name) ?? { times: new Float64Array(8), start: 0, size: 0 }
    // Put back at the end, so that the first is the one that has been quiet longest.
    rings.delete(name)
    rings.set(name, ring)
    if (rings.size > most) rings.delete(rings.keys().next().value!)
    return ring
  }

  /** Forgets a few names all of whose slots are free again: more than come, so that none of them adds up. */
  function forgetQuiet (now: number) {
    let looked = 0
    for (const [name, ring] of rings) {
      expire(ring, now)
      if (ring.size > 0 || ++looked > FORGOTTEN_AT_ONCE) return
      rings.delete(name)
    }
  }

  function expire (ring: Ring, now: number) {
    while (ring.size > 0 && ring.times[ring.start]! <= now - windowMs) {
      ring.start = (ring.start + 1) % ring.times.length
      ring.size--
    }
  }

  function state (ring: Ring, limit: number, now: number): Taken {
    expire(ring, now)
    const allowed = ring.size < limit
    // After a lowered limit more than one has to leave before the next slot is free.
    const next = ring.times[(ring.start + Math.max(0, ring.size - Math.max(limit, 1))) % ring.times.length]!
    return { allowed, used: ring.size, freesMs: ring.size === 0 ? 0 : next + windowMs - now }
  }

  return {
    used (name) {
      const ring = rings.get(name)
      if (!ring) return 0
      expire(ring, clock.monotonic())
      return ring.size
    },
    take (name, limit) {
      const now = clock.monotonic()
      const ring = ringOf(name, now)
      const taken = state(ring, limit, now)
      if (!taken.allowed) return taken
      if (ring.size === ring.times.length) grow(ring)
      ring.times[(ring.start + ring.size) % ring.times.length] = now
      ring.size++
      return state(ring, Math.max(limit, ring.size + 1), now)
    }
  }
}

function grow (ring: Ring) {
  const { times, start, size } = ring
  ring.times = new Float64Array(times.length * 2)
  for (let i = 0; i < size; i++) ring.times[i] = times[(start + i) % times.length]!
  ring.start = 0
}
