/**
 * An object's own property under a name that a stranger chose: never one that every object has, such as `constructor`.
 * Undefined if it has none.
 */
export function ownProperty<T> (of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined
}

/** Whether a value is an object with fields: neither null nor a list. */
export function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object with fields, otherwise one without any. */
export function objectOf (value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}
