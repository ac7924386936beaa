/**
 * The JSON object in an answer. Models that do not follow the instruction put it in a fence, or text around it.
 * Undefined if there is none.
 */
export function jsonIn (text: string): Record<string, unknown> | undefined {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')]
  if (from === -1 || to < from) return undefined
  try {
    return JSON.parse(text.slice(from, to + 1))
  } catch {
    return undefined
  }
}
