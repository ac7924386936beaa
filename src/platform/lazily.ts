/**
 * Creates a value on first use, and caches it: what a start can do without must not delay it. A rejected promise is not
 * cached: what was missing, open files for instance, may be there the next time.
 */
export function lazily<T> (make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    if (made) return made.value
    const mine = made = { value: make() }
    if (mine.value instanceof Promise) mine.value.catch(() => { if (made === mine) made = undefined })
    return mine.value
  }
}

/** The same per key: for a few keys, or for the duration of a piece of work. */
export function onceEach<K, T> (make: (key: K) => T): (key: K) => T {
  const made = new Map<K, { value: T }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}

/**
 * The same for keys without end, such as the words that people write: the latest `most` are remembered, at most twice
 * as many. All values are defined.
 */
export function ofLatest<K, T extends {}> (most: number, make: (key: K) => T): (key: K) => T {
  let [latest, before] = [new Map<K, T>(), new Map<K, T>()]
  return (key) => {
    const known = latest.get(key)
    if (known !== undefined) return known
    const value = before.get(key) ?? make(key)
    if (latest.size >= most) [latest, before] = [new Map(), latest]
    latest.set(key, value)
    return value
  }
}

/** A value that is made on first use, or before in steps: one in each turn of the event loop, see `inTurns`. */
interface MadeInSteps<T> {
  /** The value; what is left to make is made at once. */
  get (): T
  ahead (): Generator<undefined, void>
}

/** The same as `lazily` for what takes so long to make that others would wait for it. */
export function lazilyInSteps<T> (make: () => Generator<void, T>): MadeInSteps<T> {
  let making: Generator<void, T> | undefined
  let made: { value: T } | undefined
  function isMade (): boolean {
    if (made) return true
    const mine = making ?? make()
    // One that threw is over: asked again, it would seem to have made nothing.
    making = undefined
    const { done, value } = mine.next()
    if (done) made = { value }
    else making = mine
    return done === true
  }
  return {
    get () {
      for (;;) if (isMade() && made) return made.value
    },
    * ahead () {
      while (!isMade()) yield undefined
    }
  }
}

/**
 * Compiles an expression ahead, in steps: Node reads it the first time it is used and makes code of it the second, and
 * other code for letters beyond Latin's. Of those made of hundreds of phrases each of these takes ten milliseconds.
 */
export function * compileAhead (pattern: RegExp): Generator<undefined, void> {
  for (const text of ['3', '3', 'ж', 'ж']) {
    pattern.lastIndex = 0
    pattern.test(text)
    yield undefined
  }
  pattern.lastIndex = 0
}
