import { signal } from '@preact/signals'
import { en, type Texts } from './en.ts'

export type { Texts } from './en.ts'

/** The languages that the console speaks, by what they call themselves. */
export const LANGUAGES: Record<string, string> = {
  en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', pt: 'Português'
}

const KEPT = 'agenthall:language'

/** What the console says, in the language that was chosen. */
export const texts = signal<Texts>(en)
export const language = signal('en')

const OTHERS: Record<string, () => Promise<Texts>> = {
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt
}

function wanted (): string {
  let kept: string | null = null
  try { kept = localStorage.getItem(KEPT) } catch { /* Storage is blocked: the browser's languages say it. */ }
  const asked = [...(kept ? [kept] : []), ...navigator.languages].map((one) => one.slice(0, 2).toLowerCase())
  return asked.find((one) => one in LANGUAGES) ?? 'en'
}

/** Speaks a language from now on; without one, that which was chosen before or which the browser prefers. */
export async function speak (chosen?: string) {
  if (chosen) {
    try { localStorage.setItem(KEPT, chosen) } catch { /* Then it is for as long as the page is open. */ }
  }
  const code = chosen ?? wanted()
  texts.value = await OTHERS[code]?.().catch(() => undefined) ?? en
  language.value = texts.value === en ? 'en' : code
  document.documentElement.lang = language.value
}

/** Puts values into a text: `fill('{n} of {all}', { n: 1, all: 3 })`. */
export function fill (text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => name in values ? String(values[name]) : whole)
}

/** A time as people here write it. */
export function shownTime (timestamp: string): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(timestamp)
  )
}

const STEPS: Array<[Intl.RelativeTimeFormatUnit, number]> = [['day', 86_400], ['hour', 3600], ['minute', 60]]

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
  return new Intl.NumberFormat(language.value, options).format(value)
}

/** An amount of bytes as people read it: 1.4 MB. */
export function shownBytes (bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  const i = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return shownNumber(bytes / 1000 ** i, {
    style: 'unit', unit: units[i]!, unitDisplay: i === 0 ? 'long' : 'short', maximumFractionDigits: 1
  })
}
