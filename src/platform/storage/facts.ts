import { doneBy, type Work } from './work.ts'

/** A fact that a rule needs and that is not known yet. */
class Wanted extends Error {
  readonly read: () => Work<unknown>
  constructor (read: () => Work<unknown>) {
    super('A rule can ask only where it is carried out by `deciding`')
    this.read = read
  }
}

/** The facts that the running rule has read so far, in order. */
let running: { answers: unknown[], next: number } | undefined

/**
 * Stored data that a rule needs: read inside the transaction that carries out its decision, so that rules can be
 * written without the reading.
 */
export function fact<T> (read: () => Work<T>): T {
  if (running && running.next < running.answers.length) return running.answers[running.next++] as T
  const { done, value } = read()[Symbol.iterator]().next()
  if (!done) throw new Wanted(read)
  if (running) running.next = running.answers.push(value)
  return value
}

/**
 * Runs a rule. It changes nothing: where a fact has to be waited for, it is run again from the start once that is
 * known.
 */
export function * deciding<T> (rule: () => Work<T>): Work<T> {
  const about = { answers: [] as unknown[], next: 0 }
  for (;;) {
    try {
      about.next = 0
      return yield * doneBy((run) => asking(about, run), rule)
    } catch (error) {
      if (!(error instanceof Wanted)) throw error
      about.answers.push(yield * error.read())
    }
  }
}

function asking<T> (about: typeof running, rule: () => T): T {
  const outer = running
  running = about
  try {
    return rule()
  } finally {
    running = outer
  }
}
