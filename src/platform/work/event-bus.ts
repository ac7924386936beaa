import type { Id } from '../../../schema/common.ts'
import type { Work } from '../storage/work.ts'

/**
 * What can happen, by its dotted type, and what listeners get. Each feature adds its own where it announces them:
 *
 *     declare module '../platform/work/event-bus.ts' {
 *       interface DomainEvents { 'order.paid': { order: OrderRecord } }
 *     }
 */
export interface DomainEvents {}

/** An event. `data` is in memory only: whoever stores part of it decides what, and how it is sealed. */
export type DomainEvent = { [Type in keyof DomainEvents]: {
  owner: Id
  type: Type
  /** The agent it is about; null where it is about none. */
  agent: Id | null
  data: DomainEvents[Type]
} }[keyof DomainEvents]

/** An event of one of these types. */
export type DomainEventOf<Type extends keyof DomainEvents> = Extract<DomainEvent, { type: Type }>

/** Notifies later features of what earlier ones did, which do not know about them. */
export interface EventBus {
  /**
   * Called inside the transaction of the event. Listeners are called at once, in order of registration, and what they
   * write (jobs, outgoing messages) is part of that transaction; if one throws, all of it is rolled back.
   */
  publish (...domainEvents: DomainEvent[]): Work<void>
  /**
   * Subscribes to events of these types, or of all, from now on. `listener` writes to the same database, or decides; it
   * never waits.
   */
  on<Type extends keyof DomainEvents> (
    types: readonly Type[] | 'all', listener: (happened: DomainEventOf<Type>) => Work<void>
  ): void
  /** The same for listeners that query something once for all events published together; they are called last. */
  onAll (listener: (domainEvents: readonly DomainEvent[]) => Work<void>): void
}

/** Opens them. */
export function openEventBus (): EventBus {
  const listeners: Array<{ types: readonly string[] | 'all', listener: (happened: never) => Work<void> }> = []
  const last: Array<(domainEvents: readonly DomainEvent[]) => Work<void>> = []
  return {
    * publish (...domainEvents) {
      for (const happened of domainEvents) {
        for (const { types, listener } of listeners) {
          if (types === 'all' || types.includes(happened.type)) yield * listener(happened as never)
        }
      }
      for (const listener of last) yield * listener(domainEvents)
    },
    on (types, listener) {
      listeners.push({ types, listener })
    },
    onAll (listener) {
      last.push(listener)
    }
  }
}
