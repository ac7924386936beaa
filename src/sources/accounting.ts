import { Refusal } from '../platform/errors.ts'
import type { Room } from './store.ts'

/** The refusal of more text than an agent may have. */
export function overCeiling ({ used, allowed }: Room, asked: number): Refusal {
  return new Refusal('training_limit_exceeded',
    `This would add ${asked} bytes of text; the agent uses ${used} of ${allowed}. Remove or deselect a source, or add less.`,
    { fields: { used, asked, allowed } })
}

/** The refusal of more than an account may keep. */
export function overStorage ({ used, allowed }: Room, asked: number): Refusal {
  return new Refusal('storage_limit_exceeded',
    `This would keep ${asked} bytes more; the account keeps ${used} of ${allowed}. Remove sources that are not needed, deselected and failed ones count too.`,
    { fields: { used, asked, allowed } })
}
