import { PLACEHOLDERS } from '../../schema/replies.ts'

/** Saved replies that a team may have, and a member of their own. */
export const MOST = 500

/**
 * What is wrong with the placeholders of a text, in a sentence; undefined where nothing is. Linear in the text: no two
 * braces are looked at twice.
 */
export function placeholderFault (text: string): string | undefined {
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', at)
    const name = end === -1 ? undefined : text.slice(at + 2, end).split('|', 1)[0]!.trim()
    if (!(PLACEHOLDERS as readonly (string | undefined)[]).includes(name)) {
      const shown = text.slice(at, end === -1 ? at + 20 : Math.min(end + 2, at + 40)).toWellFormed()
      return `"${shown}" stands for nothing. There are ${PLACEHOLDERS.map((one) => `{{${one}}}`).join(', ')}.`
    }
    at = end + 2
  }
  return undefined
}
