import type { Locale, Working } from './contract.ts'
import ar from './ar.ts'
import bg from './bg.ts'
import ca from './ca.ts'
import cs from './cs.ts'
import da from './da.ts'
import de from './de.ts'
import el from './el.ts'
import en from './en.ts'
import es from './es.ts'
import fa from './fa.ts'
import fi from './fi.ts'
import fr from './fr.ts'
import he from './he.ts'
import hi from './hi.ts'
import hr from './hr.ts'
import hu from './hu.ts'
import id from './id.ts'
import it from './it.ts'
import ja from './ja.ts'
import ko from './ko.ts'
import nl from './nl.ts'
import no from './no.ts'
import pl from './pl.ts'
import pt from './pt.ts'
import ro from './ro.ts'
import ru from './ru.ts'
import sk from './sk.ts'
import sl from './sl.ts'
import sv from './sv.ts'
import th from './th.ts'
import tr from './tr.ts'
import uk from './uk.ts'
import vi from './vi.ts'
import zh from './zh.ts'

/** What we say ourselves, by the ISO 639-1 code of the language. */
export const LOCALES: { en: Working } & Record<string, Locale> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  sv,
  pl,
  tr,
  ru,
  ar,
  zh,
  ja,
  ko,
  da,
  no,
  fi,
  cs,
  ro,
  hu,
  uk,
  el,
  he,
  hi,
  id,
  th,
  vi,
  fa,
  ca,
  sk,
  sl,
  hr,
  bg
}

/** The languages that have a part. */
export const languagesWith = (part: keyof Working): string[] =>
  Object.entries(LOCALES).filter(([, locale]) => locale[part] !== undefined).map(([language]) => language)

/** A part in each language that has it. */
export const textsInAll = <Part extends keyof Working>(part: Part): Array<Working[Part]> =>
  Object.values<Partial<Working>>(LOCALES).flatMap((locale) => locale[part] ?? [])

/** The language in which speakers of `language` get a part: that one, or English if it has no texts for it. */
export function languageFor (language: string | null, part: keyof Working): string {
  const locale = language !== null && Object.hasOwn(LOCALES, language) ? LOCALES[language] : undefined
  return language !== null && locale?.[part] !== undefined ? language : 'en'
}

/** A part in a language; in English where there is nothing in theirs. */
export function textsIn<Part extends keyof Working> (language: string | null, part: Part): Working[Part] {
  const locale: Partial<Working> = LOCALES[languageFor(language, part)] ?? LOCALES.en
  return locale[part] ?? LOCALES.en[part]
}
