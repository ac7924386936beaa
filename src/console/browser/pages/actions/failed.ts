import { callSaid } from '../../texts/calls.ts'
import { fill, language, texts } from '../../texts/index.ts'

/**
 * Why a call failed, in the reader's language. The server says it in English; in other languages that is shown, marked
 * as such, only if neither the other system's status nor the sentence is known.
 */
export function callFailed (error: string, status: number | null = null): string {
  const { acts, failures } = texts.value
  if (language.value === 'en') return error
  if (status === 401 || status === 403) return failures.denied
  if (status === 404 || status === 410) return failures.gone
  if (status === 409 || status === 422) return failures.refused
  return callSaid(error) ?? fill(acts.reported, { text: error })
}
