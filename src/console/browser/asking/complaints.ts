import { fill, texts, type Texts } from '../texts/index.ts'
import { quoted } from './sentences.ts'

/** One refused field, as the server reports it. */
export interface Detail { field: string, message: string, code?: string, limit?: number, example?: string }

/**
 * What is wrong with a field, in the reader's language and without its technical name, since its label is next to it.
 * For rules unknown here, the server's own words are used.
 */
export function complaintOf ({ field, message, code = '', limit = 0, example = '' }: Detail): string {
  const { faults } = texts.value
  const formless = field.endsWith('email') ? 'no_email' : 'odd_form'
  const known = code === 'wrong_form' && example === '' ? formless : code
  if (known in faults) return fill(faults[known as keyof Texts['faults']], { limit, example })
  const plain = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
  // A host keeps its spelling: example.com, localhost:8080.
  const isHost = /^\S+[.:]\S/.test(plain)
  return quoted(isHost ? plain : plain.charAt(0).toUpperCase() + plain.slice(1))
}

/** What a browser finds wrong with a field before anything is sent, in our own words. */
export function nativeComplaint ({ validity, minLength, maxLength, min, max, type }: HTMLInputElement): string {
  const { faults } = texts.value
  if (validity.valueMissing) return faults.required
  if (validity.tooShort) return fill(faults.too_short, { limit: minLength })
  if (validity.tooLong) return fill(faults.too_long, { limit: maxLength })
  if (validity.rangeUnderflow) return fill(faults.too_small, { limit: min })
  if (validity.rangeOverflow) return fill(faults.too_large, { limit: max })
  if (validity.typeMismatch && type === 'email') return faults.no_email
  return validity.badInput || validity.stepMismatch ? faults.wrong_type : faults.odd_form
}
