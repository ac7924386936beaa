/*
 * What models put around the number of a source: **[1]**, _[0]_, ([2]), "[0]". Where nothing is left inside, it goes
 * too.
 */

const WRAP = /^(?:[*_~`]{1,6}|["'“„«‘(])/
const CLOSES: Record<string, string> = { '“': '”', '„': '“', '«': '»', '‘': '’', '(': ')' }
/** Marks that a word ends with. */
const MARKS_AT_END = /[*_~`]{1,6}$/
/** What may stand between a number and the end of what is around it, as in `**[0]:**`. */
const BETWEEN = /^[ \t]{0,8}[.:;,–—-]?[ \t]{0,8}/
const SPACE = /^[ \t]{0,8}/

/** What a text begins with that may be around a number. */
export const wrapAt = (text: string): string => WRAP.exec(text)?.[0] ?? ''

/** How much of a word's end may be around what follows it. */
export const wrapAtEnd = (word: string): number => MARKS_AT_END.exec(word)?.[0].length ?? 0

/**
 * Behind a number that was taken out: how many more characters go with it, and whether all that was around it does.
 * Null: more text is needed.
 */
export function emptied (wrap: string, behind: string, isEnd: boolean): { length: number, isWhole: boolean } | null {
  const close = CLOSES[wrap] ?? [...wrap].reverse().join('')
  const { length } = BETWEEN.exec(behind)![0]
  const rest = behind.slice(length, length + close.length)
  if (rest === close) return { length: length + close.length, isWhole: true }
  return !isEnd && close.startsWith(rest) ? null : { length: SPACE.exec(behind)![0].length, isWhole: false }
}
