import type { Id } from '../../schema/common.ts'
import type { Increment } from './figures.ts'

/** Which sums are read: days since 1970, both included, of one agent or of all. */
export interface Wanted { from: number, to: number, agent?: Id | undefined }

/** A source, and in how many answers it is named. */
export interface TopSource { source: Id, title: string | null, answers: number }

/** Where the daily sums rest. */
export interface AnalyticsStore {
  /** Sums by day, name and class, oldest first. */
  sums (owner: Id, wanted: Wanted): Promise<Increment[]>
  /** The sources that most answers name. */
  sources (owner: Id, wanted: Wanted): Promise<TopSource[]>
}
