const HOUR_MS = 3_600_000
const MORNING = 9

/** A time to which a conversation is put off. */
export interface Time { name: 'soon' | 'tomorrow' | 'monday', at: Date }

/**
 * The common ones, by the reader's own clock: in three hours, tomorrow morning, next Monday morning. A morning is at
 * nine whatever the clocks do in the night before.
 */
export function timesFrom (now: Date): Time[] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING)
  return [
    { name: 'soon', at: new Date(now.getTime() + 3 * HOUR_MS) },
    { name: 'tomorrow', at: morning(1) },
    { name: 'monday', at: morning((8 - now.getDay()) % 7 || 7) }
  ]
}
