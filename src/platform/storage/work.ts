import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * The body of a transaction is a generator: it may wait for the database only at `yield *`. SQLite answers immediately,
 * so such a body runs in one go; over a network it resumes when the answer arrives. It cannot wait for anything else:
 * that does not compile.
 */

/** A query to a remote database. SQLite is never queried this way. */
export interface Asked { text: string, values: unknown[], name?: string }

/** Asks nothing: long work lets others get a turn here. */
export const PAUSE: Asked = { text: '', values: [] }

/** Where work on many things that asks little lets others in: done between every few of them. */
export function * pausing (): Work<void> {
  yield PAUSE
}

/**
 * Reading or writing that runs when it is taken with `yield *`, inside a transaction; without that it does nothing. A
 * single step and a whole body look the same to the caller.
 */
export interface Work<T> { [Symbol.iterator] (): Iterator<Asked, T, any> }

/** Work in steps: wherever it yields nothing, others get a turn before it continues in another transaction. */
export type Sliced<T> = Generator<Asked | undefined, T, any>

/** Runs a piece of work, possibly in some context. */
type Around = <R>(run: () => R) => R

/**
 * Continues work until it ends or lets others in: passes on its queries, and their answers or errors back to it. Each
 * piece of it is run by `around`.
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

/** Runs sliced work within the open transaction, without a break for others. */
export function * atOneStretch<T> (sliced: Sliced<T>): Work<T> {
  for (;;) {
    const { done, value } = yield * step(sliced)
    if (done) return value
  }
}

/** Runs whole work, each piece of it by `around`. */
export function * doneBy<T> (around: Around, work: () => Work<T>): Work<T> {
  return (yield * goingOn(around(() => work()[Symbol.iterator]()), around)).value as T
}

/** Work that runs in the current context: it sees the same `AsyncLocalStorage` values as now. */
export function inContextNow<T> (work: () => Work<T>): () => Work<T> {
  const inContext: Around = AsyncLocalStorage.snapshot()
  return () => doneBy(inContext, work)
}

/** Work that has nothing left to do. */
export function * settled<T> (value: T): Work<T> {
  return value
}

/** Work, if there is any. */
export function * ifAny<T> (work: Work<T> | undefined): Work<T | undefined> {
  return work === undefined ? undefined : yield * work
}

/** A list in parts of this many: what is written of each at once lets others in before the next. */
export function inGroups<A> (list: readonly A[], most: number): A[][] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_none, i) => list.slice(i * most, (i + 1) * most))
}

/** The results of work on each item of a list, in order. */
export function * mapped<A, B> (list: Iterable<A>, work: (one: A, index: number) => Work<B>): Work<B[]> {
  const made: B[] = []
  for (const one of list) made.push(yield * work(one, made.length))
  return made
}

/** The same where it returns several for each, or none. */
export function * flatMapped<A, B> (
  list: Iterable<A>, work: (one: A, index: number) => Work<B | readonly B[]>
): Work<B[]> {
  return (yield * mapped(list, work)).flat() as B[]
}

/** The items of a list for which it is true. */
export function * filtered<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<A[]> {
  const chosen: A[] = []
  for (const one of list) if (yield * work(one)) chosen.push(one)
  return chosen
}

/** The first item of a list for which it is true. */
export function * firstOf<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<A | undefined> {
  for (const one of list) if (yield * work(one)) return one
  return undefined
}

/** Whether it is true for any item of a list. */
export function * anyOf<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<boolean> {
  for (const one of list) if (yield * work(one)) return true
  return false
}

/** Whether it is true for all items of a list. */
export function * allOf<A> (list: Iterable<A>, work: (one: A) => Work<boolean>): Work<boolean> {
  for (const one of list) if (!(yield * work(one))) return false
  return true
}
