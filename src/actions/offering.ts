import type { ActionRecord, Arguments } from '../../schema/actions.ts'
import type { Acted, Offered } from '../conversations/index.ts'
import type { Refusal } from '../platform/errors.ts'
import { schemaOf } from './calls/bind.ts'

/** An action as a model may choose it. */
export const offeredAs = (action: ActionRecord): Offered => {
  const { id, name, title, when } = action
  return { id, name, title, when, parameters: schemaOf(action) }
}

/** The refusal as the model sees it: which arguments are invalid, so that it can choose others. */
export function wrongly (title: string, { code, details, message }: Refusal): Acted {
  const text = details.map(({ message: fault }) => fault).join(' ') || message
  return code === 'VALIDATION_ERROR'
    ? { type: 'wrong', title, text }
    : { type: 'told', title, text: `It was not done. ${text}` }
}

/** Only valid types of arguments: a model may send anything. */
export function plain (given: Record<string, unknown>): Arguments {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  return Object.fromEntries(Object.entries(given).filter(([, value]) => isPlain(value))) as Arguments
}
