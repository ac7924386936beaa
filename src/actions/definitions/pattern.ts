/*
 * Patterns for untrusted text. Only letters, classes and counts are allowed, and few unbounded counts, so that no
 * combination of pattern and text is costly.
 */

/** Maximum characters of a text matched against a pattern. */
export const LONGEST_MATCHED = 200
const MOST_FREE = 2
const ITEM = /\\[dDwWsS.\\/+*?()[\]{}|^$-]|\[\^?(?:\\[dDwWsS.\\/[\]^-]|[^\\[\]])+\]|[^\\[\](){}|*+?^$]/y
const COUNT = /[*+?]|\{\d{1,3}(?:,\d{0,3})?\}/y

/** Why a pattern is rejected, in a sentence; undefined if accepted. */
export function patternFault (pattern: string): string | undefined {
  const bare = pattern.replace(/^\^/, '').replace(/\$$/, '')
  let free = 0
  for (let at = 0; at < bare.length;) {
    ITEM.lastIndex = at
    const item = ITEM.exec(bare)
    if (!item) return 'takes letters, classes such as [A-Z] or \\d, and counts such as {4} or +; no groups and no |.'
    at = ITEM.lastIndex
    COUNT.lastIndex = at
    const count = COUNT.exec(bare)
    if (!count) continue
    at = COUNT.lastIndex
    if (!/^\{\d+\}$/.test(count[0])) free++
  }
  if (free > MOST_FREE) return `may have ${MOST_FREE} counts that are not exact, such as + or {1,4}.`
  try {
    return RegExp(bare, 'u') && undefined
  } catch {
    return 'cannot be read.'
  }
}

/** Whether the whole text matches the pattern. */
export function looksLike (pattern: string, text: string): boolean {
  if (text.length > LONGEST_MATCHED) return false
  return new RegExp(`^(?:${pattern.replace(/^\^/, '').replace(/\$$/, '')})$`, 'u').test(text)
}
