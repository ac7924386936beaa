/**
 * A stored object with a change applied: what the change omits stays, and null removes a field (RFC 7396, one level).
 */
export function withChange<T extends object> (kept: T, change: { [Field in keyof T]?: T[Field] | null }): T {
  const all = Object.entries({ ...kept, ...change }).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(all) as T
}
