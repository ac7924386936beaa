import type { WebFiles } from '../platform/http/web/files.ts'
import { codeOf } from '../platform/languages.ts'

/** What the entries of the widget's texts begin with; a language's two letters follow. */
export const TEXTS = 'widget/text-'

/** The languages that the widget speaks beside English, in order. */
export const languagesOf = (files: WebFiles): string[] =>
  files.entries(TEXTS).map((name) => name.slice(TEXTS.length))

/** Languages of a header that are looked at: the first ones are whoever asks prefers, as browsers write them. */
const MOST = 20

/**
 * The language in which a page of the widget is shown, as its two letters: what its address asks for, else what the
 * browser prefers (Accept-Language), of those that there are; English where none of them is.
 */
export function languageOfPage (
  asked: unknown, accepted: string | undefined, offered: readonly string[]
): string {
  return wantedBy(asked, accepted).find((language) => language === 'en' || offered.includes(language)) ?? 'en'
}

/** The language that a visitor wants most, as its two letters, whether or not the widget speaks it. */
export function languageOfVisitor (asked: unknown, accepted: string | undefined): string | undefined {
  return wantedBy(asked, accepted)[0]
}

const wantedBy = (asked: unknown, accepted: string | undefined): string[] =>
  [...(typeof asked === 'string' ? [asked] : []), ...preferred(accepted ?? '')].flatMap((tag) => codeOf(tag) ?? [])

/** What an Accept-Language names, the most wanted first. */
function preferred (accepted: string): string[] {
  return accepted
    .split(',', MOST)
    .map((one) => {
      const [language = '', weight = 'q=1'] = one.split(';', 2)
      return { language, q: Number(weight.trim().slice('q='.length)) }
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ language }) => language)
}
