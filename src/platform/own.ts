/**
 * What an object itself has under a name that a stranger chose: never what every object has, such as `constructor`.
 * Undefined where it has nothing there.
 */
export function own<T> (of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined
}
