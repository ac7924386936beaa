import type { ActionDraft } from '../../../schema/actions.ts'

/** An operation converted to an action, with the parts that cannot be converted. */
export interface Planned {
  key: string
  draft: Omit<ActionDraft, 'connection'>
  notes: string[]
  /** Nothing required is missing. */
  canImport: boolean
}
