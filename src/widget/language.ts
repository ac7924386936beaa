import type { WebFiles } from '../platform/http/web/files.ts'
import { codeOf } from '../platform/languages.ts'

/** Prefix of the entries of the widget's texts; followed by a two-letter language code. */
export const TEXTS = 'widget/text-'

/** The languages of the widget besides English, in order. */
export const languagesOf = (files: WebFiles): string[] =>
  files.entries(TEXTS).map((name) => name.slice(TEXTS.length))

/** Maximum number of languages read from a header: browsers list the preferred ones first. */
const MOST_LANGUAGES = 20

/**
 * The language of a widget page, as a two-letter code: the one in its address, else the browser's preference
 * (Accept-Language), among those available; English if none is.
 */
export function languageOfPage (
  asked: unknown, accepted: string | undefined, offered: readonly string[]
): string {
  return wantedBy(asked, accepted).find((language) => language === 'en' || offered.includes(language)) ?? 'en'
}

/** The visitor's preferred language, as a two-letter code, whether or not the widget supports it. */
export function languageOfVisitor (asked: unknown, accepted: string | undefined): string | undefined {
  return wantedBy(asked, accepted)[0]
}

const wantedBy = (asked: unknown, accepted: string | undefined): string[] =>
  [...(typeof asked === 'string' ? [asked] : []), ...preferred(accepted ?? '')].flatMap((tag) => codeOf(tag) ?? [])

/** The languages of an Accept-Language header, most preferred first. */
function preferred (accepted: string): string[] {
  return accepted
    .split(',', MOST_LANGUAGES)
    .map((one) => {
      const [language = '', weight = 'q=1'] = one.split(';', 2)
      return { language, q: Number(weight.trim().slice('q='.length)) }
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ language }) => language)
}
