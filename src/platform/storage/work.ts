import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * The body of a transaction is a generator: `yield *` stands where it may wait for the database, and there alone.
 * SQLite answers on the spot, so such a body runs at one stretch; over a network it is taken up again when the answer
 * is there. It can wait for nothing else: that does not compile.
 */

/** What a body asks of a database that is elsewhere. SQLite is never asked this way. */
export interface Asked { text: string, values: unknown[], name?: string }

/**
 * Reading or writing that is done when it is taken with `yield *`, inside a transaction; what is not taken does
 * nothing. A step of it and a whole body are the same to whoever takes them.
 */
export interface Work<T> { [Symbol.iterator] (): Iterator<Asked, T, any> }

/** Work in steps: wherever it yields nothing, others are let in before it goes on in another transaction. */
export type Sliced<T> = Generator<Asked | undefined, T, any>

/** Runs a piece of work: something may be true while it runs. */
type Around = <R>(run: () => R) => R

/**
 * Goes on with work until it ends, or lets others in: hands on what it asks, and to it what is answered or refused.
 * Each piece of it is run by `around`.
 */
export function * goingOn<T> (
  steps: Iterator<Asked | undefined, T, any>, around: Around = (run) => run()
): Work<IteratorResult<undefined, T>> {
  let taken = around(() => steps.next())
  while (!taken.done && taken.value !== undefined) {
    let answer: unknown
    try {
      answer = yield taken.value
    } catch (error) {
      taken = around(() => steps.throw!(error))
      continue
    }
    taken = around(() => steps.next(answer))
  }
  return taken as IteratorResult<undefined, T>
}

/** The next step of sliced work. */
export const step = <T>(sliced: Sliced<T>): Work<IteratorResult<undefined, T>> => goingOn(sliced)

/** Does sliced work in the transaction that is open, letting nobody in. */
export function * atOneStretch<T> (sliced: Sliced<T>): Work<T> {
  for (;;) {
    const { done, value } = yield * step(sliced)
    if (done) return value
  }
}

/** Does whole work, each piece of it run by `around`. */
export function * doneBy<T> (around: Around, work: () => Work<T>): Work<T> {
  return (yield * goingOn(around(() => work()[Symbol.iterator]()), around)).value as T
}

/** Work that is done in the context of whoever asks for it now: `AsyncLocalStorage` says in it what it says now. */
export function inContextNow<T> (work: () => Work<T>): () => Work<T> {
  const inContext: Around = AsyncLocalStorage.snapshot()
  return () => doneBy(inContext, work)
}

/** Work that has nothing to do any more. */
export function * settled<T> (value: T): Work<T> {
  return value
}

/** Work that is there only sometimes. */
export function * ifAny<T> (work: Work<T> | undefined): Work<T | undefined> {
  return work === undefined ? undefined : yield * work
}

/** What work makes of each of a list, in order. */
export function * mapped<A, B> (list: Iterable<A>, work: (one: A, index: number) => Work<B>): Work<B[]> {
  const made: B[] = []
  for (const one of list) made.push(yield * work(one, made.length))
  return made
}

/** The same where it makes several of each, or none. */
export function * flatMapped<A, B> (
  list: Iterable<A>, work: (one: A, index: number) => Work<B | readonly B[]>
): Work<B[]> {
  return (yield * mapped(list, work)).flat() as B[]
}

/** Those of a list of which it is true. */
export function * filtered<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<A[]> {
  const chosen: A[] = []
  for (const one of list) if (yield * work(one)) chosen.push(one)
  return chosen
}

/** The first of a list of which it is true. */
export function * firstOf<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<A | undefined> {
  for (const one of list) if (yield * work(one)) return one
  return undefined
}

/** Whether it is true of any of a list. */
export function * anyOf<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<boolean> {
  for (const one of list) if (yield * work(one)) return true
  return false
}

/** Whether it is true of all of a list. */
export function * allOf<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<boolean> {
  for (const one of list) if (!(yield * work(one))) return false
  return true
}
