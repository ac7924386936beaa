import { fill, language, texts, type Texts } from '../texts/index.ts'

/** Refusal codes that share the text of another code. */
export const SAID_AS: Record<string, keyof Texts['refusals']> = {
  already_member: 'done_already',
  already_registered: 'done_already',
  already_sent: 'done_already',
  call_settled: 'done_already',
  call_changed: 'precondition_failed',
  malformed_json: 'VALIDATION_ERROR',
  unsupported_media_type: 'VALIDATION_ERROR',
  not_waiting: 'otherwise_now',
  not_taken_over: 'otherwise_now',
  questions_running: 'in_progress',
  not_planned: 'in_progress',
  not_asked: 'nothing_there',
  nothing_asked: 'nothing_there',
  nothing_to_publish: 'nothing_there',
  nothing_to_remove: 'nothing_there',
  not_last_answer: 'not_an_answer',
  root_folder: 'folder_cycle'
}

/** Codes of background failures that share the text of another code. */
const FAILED_AS: Record<string, keyof Texts['failures']> = {
  unsupported_content: 'unsupported_format',
  unknown_encoding: 'unreadable',
  unknown_letters: 'unreadable',
  damaged: 'unreadable',
  unsafe: 'unreadable',
  provider_broken: 'unreadable',
  out_of_memory: 'too_large',
  unavailable: 'unreachable',
  provider_unavailable: 'unreachable',
  mail_unavailable: 'unreachable',
  robots_unavailable: 'unreachable',
  invalid_address: 'address_refused',
  too_many_redirects: 'http_status',
  not_allowed: 'denied',
  provider_unauthorized: 'denied',
  provider_refused: 'refused',
  mail_refused: 'refused',
  webhook_refused: 'refused',
  chat_refused: 'refused',
  not_found: 'gone',
  provider_gone: 'gone',
  webhook_gone: 'gone',
  chat_gone: 'gone',
  ticket_gone: 'gone',
  rate_limited: 'limited',
  provider_limited: 'limited',
  reader_failed: 'internal_error'
}

/**
 * The message of a refusal, in the reader's language. The server speaks English and is more specific than the texts per
 * code here; its message for an unknown code is shown as it is.
 */
export function refusalSaid ({ code, message }: { code: string, message: string }): string {
  const { refusals } = texts.value
  const known = SAID_AS[code] ?? code
  return language.value !== 'en' && known in refusals ? refusals[known as keyof typeof refusals] : message
}

/** Why something was not read or not delivered, in the reader's language; see refusalSaid. */
export function failureSaid ({ code, message }: { code: string, message: string }): string {
  const { failures } = texts.value
  const known = FAILED_AS[code] ?? code
  if (language.value === 'en') return message
  return known in failures ? failures[known as keyof typeof failures] : refusalSaid({ code, message })
}

/** The server's message about a field for a rule unknown here: in its own words, and marked as such for the reader. */
export function quoted (text: string): string {
  return language.value === 'en' ? text : fill(texts.value.faults.said, { text })
}
