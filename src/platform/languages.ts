import { isOneOf } from '../../schema/typed.ts'

/** Languages with more than one code (ISO 639-1, and as browsers still write it), the one that we use first. */
const CODES = [['no', 'nb', 'nn'], ['he', 'iw'], ['id', 'in']] as const
/** Languages that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he'])
const CODE = /^[a-z]{2}(?=[-_]|$)/

/** The codes of a language, the one that we use first. */
export function codesOf (language: string): readonly string[] {
  return CODES.find((codes) => isOneOf<string>(codes, language)) ?? [language]
}

/** Our code for the language that a tag (`pt-BR`) names: a Norwegian page says `nb`; null if there is none. */
export function codeOf (tag: string | null): string | null {
  const [code] = CODE.exec(tag?.trim().toLowerCase() ?? '') ?? []
  return code === undefined ? null : codesOf(code)[0]!
}

/** In which direction a language is written, as in HTML's `dir`. */
export const directionOf = (language: string): 'rtl' | 'ltr' => (RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr')
