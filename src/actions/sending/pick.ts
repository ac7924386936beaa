/** Characters of a result that a model is shown. */
export const MOST_SHOWN = 6000

/**
 * The part of a response that is used, as text: what the pointers name, or everything. Undefined if it is malformed
 * JSON, or if pointers are given and it is not JSON.
 */
export function picked (pointers: readonly string[], contentType: string, body: string): string | undefined {
  const isJson = /[/+]json$/.test(contentType)
  if (!isJson) return pointers.length > 0 ? undefined : body.slice(0, MOST_SHOWN).toWellFormed()
  let whole: unknown
  try {
    whole = body.trim() === '' ? null : JSON.parse(body)
  } catch {
    return undefined
  }
  if (pointers.length === 0) return JSON.stringify(whole).slice(0, MOST_SHOWN).toWellFormed()
  const found = pointers.flatMap((pointer): Array<[string, unknown]> => {
    const value = at(whole, pointer)
    return value === undefined ? [] : [[pointer, value]]
  })
  return JSON.stringify(Object.fromEntries(found)).slice(0, MOST_SHOWN).toWellFormed()
}

/** The part used of a tool's text, which may be JSON; null if pointers are given and it is not. */
export function pickedFrom (pointers: readonly string[], text: string): string | null {
  const found = picked(pointers, 'application/json', text)
  return found ?? (pointers.length > 0 ? null : text.slice(0, MOST_SHOWN).toWellFormed())
}

/** The value at a JSON pointer; undefined if there is none. */
export function at (whole: unknown, pointer: string): unknown {
  if (pointer === '') return whole
  let value = whole
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
