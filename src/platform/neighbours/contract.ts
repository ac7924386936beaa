import type { SlidingWindow } from '../work/sliding-window.ts'

/** What can be said to neighbours: anything that JSON keeps. */
export type Said = string | number | boolean | null | Said[] | { [key: string]: Said }

/** How a window counts, see SlidingWindow. `most`: names remembered by a process of its own; `windowMs`: its length. */
export interface WindowOptions { name: string, most: number, windowMs?: number | undefined }

/** What can be seen of an answer that another process writes. */
export interface Shown {
  /** Tells it from what was begun there another time. */
  called: string
  /** What it said of the answer when it began. */
  head: Said
  /** What it has added since, in order. */
  added: Said[]
}

/**
 * What the processes that serve one database tell each other and count together. Nothing here is kept: what may not be
 * lost stands in the tables. While the others cannot be reached, whatever is remembered of the tables is forgotten some
 * times a second, so that nobody goes on believing what was changed elsewhere.
 */
export interface Neighbours {
  /** This process serves alone: there is nobody to tell, and nothing is counted elsewhere. */
  readonly isAlone: boolean
  /** Tells all others, soon; about one topic in the same words once. Whatever it is about is committed. */
  tell (topic: string, said?: Said): void
  /** Calls back with what the others tell of a topic, until the function that is returned is called. */
  hear (topic: string, callback: (said: Said, process: string) => void): () => void
  /** Counts names together with the others; while they cannot be reached, alone, each its share of the limit. */
  window (options: WindowOptions): SlidingWindow
  /** Keeps a value for so many milliseconds, for whichever process takes it. */
  put (name: string, value: Said, forMs: number): Promise<void>
  /** Takes it: whoever asks second finds nothing. */
  take (name: string): Promise<Said | undefined>
  /** Begins to show what this process writes under a name; what another wrote there is shown no more. */
  write (name: string, head: Said): Writing
  /** What another process shows under a name now; undefined where none does, or cannot be reached. */
  shown (name: string): Promise<Shown | undefined>
  /** Calls back when the others cannot be reached any more, and when they can be again. */
  onReach (callback: (isReachable: boolean) => void): void
  /** Calls back some times a second for as long as this is open; never where a process serves alone. */
  onBeat (callback: () => void): void
  close (): void
}

/** What is being shown to the others. */
export interface Writing {
  add (piece: Said): void
  /** Shows it no more. */
  end (): void
}
