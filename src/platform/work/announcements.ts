import type { Id } from '../../../schema/common.ts'
import type { Work } from '../storage/work.ts'

/**
 * What can happen, by its dotted type, and what is told of it. Each feature adds its own where it announces them:
 *
 *     declare module '../platform/work/announcements.ts' {
 *       interface Happenings { 'order.paid': { order: OrderRecord } }
 *     }
 */
export interface Happenings {}

/** One thing that happened. `data` is in memory only: who keeps something of it says what, and how it is sealed. */
export type Happening = { [Type in keyof Happenings]: {
  owner: Id
  type: Type
  /** The agent it is about; null where it is about none. */
  agent: Id | null
  data: Happenings[Type]
} }[keyof Happenings]

/** Tells later features what earlier ones did, which know nothing of them. */
export interface Announcements {
  /**
   * Called inside the transaction of what happened. Listeners hear of it at once, in the order in which they came, and
   * what they write (jobs, what is to leave the house) is part of that transaction; what one throws undoes it all.
   */
  announce (...happenings: Happening[]): Work<void>
  /** Hears of everything from now on. `listener` writes to the same file, or decides; it never waits. */
  on (listener: (happening: Happening) => Work<void>): void
}

/** Opens them. */
export function openAnnouncements (): Announcements {
  const listeners: Array<(happening: Happening) => Work<void>> = []
  return {
    * announce (...happenings) {
      for (const happening of happenings) for (const listener of listeners) yield * listener(happening)
    },
    on (listener) {
      listeners.push(listener)
    }
  }
}
