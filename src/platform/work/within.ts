import { AsyncLocalStorage } from 'node:async_hooks'

const withins = new AsyncLocalStorage<true>()

/**
 * Lets this process call its own API on behalf of a request that was already admitted and counted: these calls count
 * neither against a limit nor in the metrics.
 */
export const askWithin = <T>(work: () => T): T => withins.run(true, work)

/** Whether the current work was requested by this process itself. */
export const isWithin = (): boolean => withins.getStore() === true
