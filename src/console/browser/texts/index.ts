import { computed, signal } from '@preact/signals'
import { en, type Texts } from './en.ts'

export type { Texts } from './en.ts'

/** The languages that the console speaks, by what they call themselves. */
export const LANGUAGES: Record<string, string> = {
  en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', pt: 'Português'
}

const LANGUAGE_KEY = 'agenthall:language'

/** What the console says, in the language that was chosen. */
export const texts = signal<Texts>(en)
export const language = signal('en')
/** The same as it is written where the reader is: 'en-GB'. */
export const region = computed(() => regionOf(language.value, globalThis.navigator?.languages ?? []))

const OTHERS: Record<string, () => Promise<Texts>> = {
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt
}

function wanted (): string {
  let kept: string | null = null
  try { kept = localStorage.getItem(LANGUAGE_KEY) } catch { /* Storage is blocked: the browser's languages say it. */ }
  const asked = [...(kept ? [kept] : []), ...navigator.languages].map((one) => one.slice(0, 2).toLowerCase())
  return asked.find((one) => one in LANGUAGES) ?? 'en'
}

/** Speaks a language from now on; without one, that which was chosen before or which the browser prefers. */
export async function speak (chosen?: string) {
  if (chosen) {
    try { localStorage.setItem(LANGUAGE_KEY, chosen) } catch { /* Then it is for as long as the page is open. */ }
  }
  const code = chosen ?? wanted()
  texts.value = await OTHERS[code]?.().catch(() => undefined) ?? en
  language.value = texts.value === en ? 'en' : code
  document.documentElement.lang = language.value
}

/** What comes with a page, in the chosen language; English where that lacks it. */
export const inLanguage = <T>(all: { en: T } & Record<string, T>): T => all[language.value] ?? all.en

/** The first of the browser's languages that is this one, with its region; this one, where there is none. */
function regionOf (code: string, asked: readonly string[]): string {
  return asked.find((one) => one.toLowerCase().split('-')[0] === code) ?? code
}

/** Puts values into a text: `fill('{n} of {all}', { n: 1, all: 3 })`. */
export function fill (text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => name in values ? String(values[name]) : whole)
}

/** A label and what it is of, with the colon of the reader's language: French has a space before it. */
export const labelled = (label: string, text: string): string => fill(texts.value.ui.labelled, { label, text })

/** A time as people here write it. */
export function shownTime (timestamp: string): string {
  return new Intl.DateTimeFormat(region.value, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(timestamp)
  )
}

/** Units of time by their seconds, the longest first. */
export const STEPS: Array<[Intl.RelativeTimeFormatUnit, number]> = [['day', 86_400], ['hour', 3600], ['minute', 60]]

/** How long ago something was: "5 minutes ago". Where the reader's clock is behind the server's it is just now. */
export function shownAgo (timestamp: string, now = Date.now()): string {
  const seconds = (now - Date.parse(timestamp)) / 1000
  const step = STEPS.find(([, size]) => seconds >= size)
  if (!step) return texts.value.ui.justNow
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(
    -Math.round(seconds / step[1]), step[0]
  )
}

/** A number as people here write it. */
export function shownNumber (value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(region.value, options).format(value)
}

/** An amount of bytes as people read it: 1.4 MB. */
export function shownBytes (bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  const i = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return shownNumber(bytes / 1000 ** i, {
    style: 'unit', unit: units[i]!, unitDisplay: i === 0 ? 'long' : 'short', maximumFractionDigits: 1
  })
}

/** The name of a language within a sentence, in the language of the console. */
export const languageNamed = (code: string): string =>
  new Intl.DisplayNames(language.value, { type: 'language' }).of(code) ?? code

/** The same where it stands by itself: with a capital, which in many languages it has only there. */
export function languageCalled (code: string): string {
  const name = languageNamed(code)
  return name.charAt(0).toLocaleUpperCase(language.value) + name.slice(1)
}
