import { AsyncLocalStorage } from 'node:async_hooks'

const withins = new AsyncLocalStorage<true>()

/**
 * Has this process ask its own interface on behalf of a request that was let in and counted already: what is asked
 * meanwhile counts neither against a limit nor in the figures.
 */
export const askWithin = <T>(work: () => T): T => withins.run(true, work)

/** Whether what is being done was asked by this process itself. */
export const isWithin = (): boolean => withins.getStore() === true
