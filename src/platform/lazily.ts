/** Makes a value when it is first asked for, and keeps it: what a start can do without must not hold it up. */
export function lazily<T> (make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
