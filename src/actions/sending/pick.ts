/** Characters of a result that a model is shown. */
export const MOST_SHOWN = 6000

/**
 * What of an answer is used, as text: what the pointers name, or everything. Undefined where it is JSON that cannot be
 * read, and where something of it was to be picked that is no JSON.
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

/**
 * What of a text is used that may be JSON, as tools answer; null where something was to be picked of one that is not.
 */
export function pickedFrom (pointers: readonly string[], text: string): string | null {
  const found = picked(pointers, 'application/json', text)
  return found ?? (pointers.length > 0 ? null : text.slice(0, MOST_SHOWN).toWellFormed())
}

/** What a JSON pointer names; undefined where it names nothing. */
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
