const HOUR_MS = 3_600_000
const MORNING = 9

/** A time until which a conversation is snoozed. */
export interface Time { name: 'soon' | 'tomorrow' | 'monday', at: Date }

/**
 * The common times, in the reader's time zone: in three hours, tomorrow morning, next Monday morning unless that is
 * tomorrow. Morning is nine o'clock, even across a daylight saving change.
 */
export function timesFrom (now: Date): Time[] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING)
  const monday = (8 - now.getDay()) % 7 || 7
  return [
    { name: 'soon', at: new Date(now.getTime() + 3 * HOUR_MS) },
    { name: 'tomorrow', at: morning(1) },
    ...(monday === 1 ? [] : [{ name: 'monday' as const, at: morning(monday) }])
  ]
}
