import type { GrowingOptions, GrowingWaits } from '../work/growing-waits.ts'
import type { SlidingWindow } from '../work/sliding-window.ts'

/** A message to neighbours: any JSON value. */
export type Said = string | number | boolean | null | Said[] | { [key: string]: Said }

/** Options of a window, see SlidingWindow. `most`: names remembered by a process of its own; `windowMs`: its length. */
interface WindowOptions { name: string, most: number, windowMs?: number | undefined }

/** The visible part of an answer that another process is writing. */
export interface Shown {
  /** Distinguishes it from earlier answers under the same name. */
  called: string
  /** What it said about the answer at the start. */
  head: Said
  /** What it has added since, in order. */
  added: Said[]
}

/**
 * Communication and shared counting among the processes that serve one database. Nothing here is durable: what must not
 * be lost is in the tables. While the others cannot be reached, caches of the tables are dropped several times a
 * second, so that nobody relies on what was changed elsewhere.
 */
export interface Neighbours {
  /** This process serves alone: there is nobody to notify, and nothing is counted elsewhere. */
  readonly isAlone: boolean
  /** Notifies all others, soon; identical messages are sent once. The change it is about is already committed. */
  tell (topic: string, said?: Said): void
  /** Calls back with messages from the others on a topic, until the returned function is called. */
  hear (topic: string, callback: (said: Said, process: string) => void): () => void
  /** Counts names together with the others; while they cannot be reached, alone, each its share of the limit. */
  window (options: WindowOptions): SlidingWindow
  /** Slows down names together with the others; while they cannot be reached, alone. `most`: as for a window. */
  waits (options: { name: string, most: number } & GrowingOptions): GrowingWaits
  /**
   * Takes a name that one has at a time, over all processes; returns how to let go of it, undefined while another has
   * it. It ends by itself after `forMs`. While the others cannot be reached, one in each process has it.
   */
  hold (name: string, forMs: number): Promise<(() => Promise<void>) | undefined>
  /** Stores a value for the given number of milliseconds, for whichever process takes it. */
  put (name: string, value: Said, forMs: number): Promise<void>
  /** Takes it: a second caller finds nothing. */
  take (name: string): Promise<Said | undefined>
  /** Starts publishing what this process writes under a name, in place of what another wrote there. */
  write (name: string, head: Said): Writing
  /** What another process currently publishes under a name; undefined if none does, or it cannot be reached. */
  shown (name: string): Promise<Shown | undefined>
  /** Calls back when the others become unreachable, and when they can be reached again. */
  onReach (callback: (isReachable: boolean) => void): void
  /** Calls back several times a second while this is open; never where a process serves alone. */
  onBeat (callback: () => void): void
  close (): void
}

/** Something being published to the others. */
export interface Writing {
  add (piece: Said): void
  /** Stops publishing it. */
  end (): void
}
