/*
 * What TypeScript does not say of objects and lists. The objects are our own: none has more keys than its type names.
 */

/** The keys of an object. */
export function keysOf<T extends object> (of: T): Array<Extract<keyof T, string>> {
  return Object.keys(of) as Array<Extract<keyof T, string>>
}

/** The keys and values of an object. */
export function entriesOf<T extends object> (of: T): Array<[Extract<keyof T, string>, T[Extract<keyof T, string>]]> {
  return Object.entries(of) as Array<[Extract<keyof T, string>, T[Extract<keyof T, string>]]>
}

/** An object with these keys and a value for each. */
export function fromKeys<K extends string, V> (keys: readonly K[], valueOf: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>
}

/** Whether a value is one of a list's. */
export function isOneOf<T> (list: readonly T[], value: unknown): value is T {
  return (list as readonly unknown[]).includes(value)
}
