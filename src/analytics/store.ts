import type { Id } from '../../schema/common.ts'
import type { FigurePart } from '../../schema/people/analytics.ts'
import type { Increment } from './figures.ts'
import type { PartIncrement } from './parts.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Which sums are read: days since 1970, both inclusive, of one agent or of all. */
export interface Wanted { from: number, to: number, agent?: Id | undefined }

/** A source, and the number of answers that cite it. */
export interface TopSource { source: Id, title: string | null, answers: number }

/** Stores the daily sums. */
export interface AnalyticsStore {
  /** Sums by day, name and class, oldest first. */
  sums (owner: Id, wanted: Wanted): Promise<Increment[]>
  /** Sums by what episodes have in common; those of a value may come in several parts. */
  parts (owner: Id, by: FigurePart, wanted: Wanted): Promise<PartIncrement[]>
  /** How many conversations people have, or should have; 1,000 at most. */
  open (owner: Id, agent?: Id): Promise<number>
  /** The sources that most answers cite. */
  sources (owner: Id, wanted: Wanted): Promise<TopSource[]>
}

/** What is deleted with an agent, a user or an account. */
export const analyticsKept: Keeps = {
  ofAgent: [{ table: 'figures', of: 'agent_id = ?' }, { table: 'figure_parts', of: 'agent_id = ?' }]
}
