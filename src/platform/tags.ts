import type { FieldError } from './errors.ts'

/**
 * What is no part of a tag, since it reads the same without it: control characters, zero-width spaces, and marks that
 * turn the direction of a text. Joiners and variants are: they tell words and emoji from others.
 */
const UNSEEN = /(?!\s)[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F]/gu

/** A character that is seen; as isBlank in text.ts, with which pages of browsers would load another file. */
const SEEN = /[^\s\p{Cc}\p{DI}\u2800]/u

/**
 * A normalised tag of a conversation: in lower case, on one line, without what nobody sees. Used by browsers too.
 */
export const tagAs = (tag: string) =>
  tag.replace(UNSEEN, '').replace(/\s+/g, ' ').trim().normalize('NFC').toLowerCase()

/** Normalised tags without duplicates. A comma ends a tag, as where people type them. Used by browsers too. */
export function tagsAs (tags: readonly string[]): string[] {
  const named = tags.flatMap((tag) => tag.split(',')).map(tagAs)
  return [...new Set(named)].filter((tag) => SEEN.test(tag))
}

/** What is said of normalised tags that are more than there may be, which commas in them can make. */
export function tooManyTags (field: string, { length }: readonly string[], most: number): FieldError {
  return { field, code: 'too_many', message: `${field} would be ${length}, since a comma ends a tag, and may be ${most}.` }
}
