import type { Id } from '../../schema/common.ts'
import type { FigurePart } from '../../schema/people/analytics.ts'
import type { Increment } from './figures.ts'
import type { PartIncrement } from './parts.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Which sums are read: days since 1970, both included, of one agent or of all. */
export interface Wanted { from: number, to: number, agent?: Id | undefined }

/** A source, and in how many answers it is named. */
export interface TopSource { source: Id, title: string | null, answers: number }

/** Where the daily sums rest. */
export interface AnalyticsStore {
  /** Sums by day, name and class, oldest first. */
  sums (owner: Id, wanted: Wanted): Promise<Increment[]>
  /** Sums by what episodes have in common; those of a value may come in several parts. */
  parts (owner: Id, by: FigurePart, wanted: Wanted): Promise<PartIncrement[]>
  /** The sources that most answers name. */
  sources (owner: Id, wanted: Wanted): Promise<TopSource[]>
}

/** What goes with an agent, a user or an account. */
export const analyticsKept: Keeps = {
  ofAgent: [{ table: 'figures', of: 'agent_id = ?' }, { table: 'figure_parts', of: 'agent_id = ?' }]
}
