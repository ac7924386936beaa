import { PLACEHOLDERS, type SavedReplyPatch, type SavedReplyRecord } from '../../schema/replies.ts'
import { invalid } from '../platform/errors.ts'
import { isOneOf } from '../../schema/typed.ts'

/** Maximum saved replies of a team, and of a member. */
export const MOST_REPLIES = 500

/** Whether two keys are the same to whoever types them, whatever their capitals and however accents are put. */
export const isSameKey = (a: string, b: string): boolean => a.normalize().toLowerCase() === b.normalize().toLowerCase()

/**
 * The texts after a change: omitted languages stay, null removes one. Refuses with VALIDATION_ERROR removing the last
 * one.
 */
export function changedTexts (
  kept: SavedReplyRecord['texts'], patch: SavedReplyPatch['texts'] = {}
): SavedReplyRecord['texts'] {
  const texts = Object.fromEntries(
    Object.entries({ ...kept, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null)
  )
  if (Object.keys(texts).length === 0) {
    throw invalid({ field: 'texts', message: 'A saved reply has words in one language at least. Remove it as a whole instead.' })
  }
  return texts
}

/**
 * What is wrong with the placeholders of a text, in a sentence; undefined where nothing is. Linear in the text: no two
 * braces are looked at twice.
 */
export function placeholderFault (text: string): string | undefined {
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', at)
    const name = end === -1 ? undefined : text.slice(at + 2, end).split('|', 1)[0]!.trim()
    if (!isOneOf(PLACEHOLDERS, name)) {
      const shown = text.slice(at, end === -1 ? at + 20 : Math.min(end + 2, at + 40)).toWellFormed()
      return `"${shown}" is not a placeholder. There are ${PLACEHOLDERS.map((one) => `{{${one}}}`).join(', ')}.`
    }
    at = end + 2
  }
  return undefined
}
