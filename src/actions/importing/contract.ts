import type { ActionDraft } from '../../../schema/actions.ts'

/** An operation as it would become an action, with what of it cannot be carried. */
export interface Planned {
  key: string
  draft: Omit<ActionDraft, 'connection'>
  notes: string[]
  /** Nothing is missing that it cannot be done without. */
  canImport: boolean
}
