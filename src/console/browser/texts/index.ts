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

/** What the reader's clock showed: 9:31. */
export function shownClock (timestamp: string): string {
  return new Intl.DateTimeFormat(language.value, { timeStyle: 'short' }).format(new Date(timestamp))
}

/** A day, as one says it: "today", "yesterday", "12 November 2026". */
export function shownDay (timestamp: string, now = new Date()): string {
  const midnight = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())
  const day = new Date(timestamp)
  const ago = (midnight(now) - midnight(day)) / 86_400_000
  return ago === 0 || ago === 1
    ? new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-ago, 'day')
    : new Intl.DateTimeFormat(language.value, { dateStyle: 'long' }).format(day)
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

/** The same where there is little room: "15 min", then the clock, then the day. */
export function shownSince (timestamp: string, now = new Date()): string {
  const [at, minutes] = [new Date(timestamp), Math.floor((now.getTime() - Date.parse(timestamp)) / 60_000)]
  if (minutes < 1) return texts.value.ui.justNow
  if (minutes < 60) return shownNumber(minutes, { style: 'unit', unit: 'minute', unitDisplay: 'short' })
  if (at.toDateString() === now.toDateString()) return shownClock(timestamp)
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' } as const
  return new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'short', ...year }).format(at)
}

/** How soon something is: "in 5 minutes". */
export function shownIn (timestamp: string, now = Date.now()): string {
  const seconds = Math.max(0, (Date.parse(timestamp) - now) / 1000)
  const [unit, size] = STEPS.find(([, step]) => seconds >= step) ?? STEPS.at(-1)!
  return new Intl.RelativeTimeFormat(language.value, { style: 'short' }).format(Math.ceil(seconds / size), unit)
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
