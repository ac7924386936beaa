/**
 * Makes a value when it is first asked for, and keeps it: what a start can do without must not hold it up. A promise
 * that is rejected is not kept: whatever was missing for it, files to open for instance, may be there the next time.
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

/** The same of each key: for a few keys, or for as long as a piece of work. */
export function onceEach<K, T> (make: (key: K) => T): (key: K) => T {
  const made = new Map<K, { value: T }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}
