import { useEffect, useState } from 'preact/hooks'
import { language, region, shownNumber, STEPS, texts } from './index.ts'

/*
 * Times as the inbox shows them: by themselves, since they are loaded with its pages.
 */

const MINUTE_MS = 60_000

/** Moves with each minute, so that what is shown with it goes with the time. */
export function useMinute (): number {
  const [minute, setMinute] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setMinute(minute + 1), MINUTE_MS - Date.now() % MINUTE_MS)
    return () => clearTimeout(timer)
  }, [minute])
  return minute
}

/** How soon something is: "in 5 minutes". */
export function shownIn (timestamp: string, now = Date.now()): string {
  const seconds = Math.max(0, (Date.parse(timestamp) - now) / 1000)
  const [unit, size] = STEPS.find(([, step]) => seconds >= step) ?? STEPS.at(-1)!
  return new Intl.RelativeTimeFormat(language.value, { style: 'short' }).format(Math.ceil(seconds / size), unit)
}

/** What the reader's clock showed: 9:31. */
export function shownClock (timestamp: string): string {
  return new Intl.DateTimeFormat(region.value, { timeStyle: 'short' }).format(new Date(timestamp))
}

/** A day, as one says it: "today", "yesterday", "12 November 2026". */
export function shownDay (timestamp: string, now = new Date()): string {
  const midnight = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())
  const day = new Date(timestamp)
  const ago = (midnight(now) - midnight(day)) / 86_400_000
  return ago === 0 || ago === 1
    ? new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-ago, 'day')
    : new Intl.DateTimeFormat(region.value, { dateStyle: 'long' }).format(day)
}

/** How long ago something was, where there is little room: "15 min", then the clock, then the day. */
export function shownSince (timestamp: string, now = new Date()): string {
  const [at, minutes] = [new Date(timestamp), Math.floor((now.getTime() - Date.parse(timestamp)) / 60_000)]
  if (minutes < 1) return texts.value.ui.justNow
  if (minutes < 60) return shownNumber(minutes, { style: 'unit', unit: 'minute', unitDisplay: 'short' })
  if (at.toDateString() === now.toDateString()) return shownClock(timestamp)
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' } as const
  return new Intl.DateTimeFormat(region.value, { day: 'numeric', month: 'short', ...year }).format(at)
}

/** For how long something has lasted, where there is little room: "10 min"; undefined in its first minute. */
export function shownFor (since: string, now = Date.now()): string | undefined {
  const minutes = Math.floor((now - Date.parse(since)) / MINUTE_MS)
  if (minutes < 1) return undefined
  const [unit, size] = ([['day', 1440], ['hour', 60], ['minute', 1]] as const).find(([, size]) => minutes >= size)!
  return shownNumber(Math.floor(minutes / size), { style: 'unit', unit, unitDisplay: 'short' })
}

/** What stands for places whose browsers name them as they were called before. */
const RENAMED: Record<string, string> = {
  Calcutta: 'Kolkata', Godthab: 'Nuuk', Katmandu: 'Kathmandu', Kiev: 'Kyiv', Rangoon: 'Yangon', Saigon: 'Ho Chi Minh'
}

/**
 * What the clocks of a time zone show: "14:32 (Berlin)", with the day where it is another than the reader's. Undefined
 * where the browser does not know the zone.
 */
export function shownThere (zone: string, now = new Date()): string | undefined {
  try {
    const dayIn = (timeZone?: string) => now.toLocaleDateString('en', { timeZone })
    const time = new Intl.DateTimeFormat(region.value, {
      timeZone: zone,
      hour: 'numeric',
      minute: '2-digit',
      ...(dayIn(zone) !== dayIn() && { weekday: 'long' })
    }).format(now)
    // Neither UTC nor Etc/GMT+3 is a town.
    const town = zone.startsWith('Etc/') ? undefined : zone.slice(zone.lastIndexOf('/') + 1 || zone.length)
    return town ? `${time} (${RENAMED[town] ?? town.replaceAll('_', ' ')})` : time
  } catch {
    return undefined
  }
}
