import { callSaid, type Failed } from '../../texts/calls.ts'
import { fill, texts } from '../../texts/index.ts'

/**
 * Why a call failed, in the reader's language. A failure without a code, of an older server, is shown in the server's
 * English, marked as such.
 */
export function callFailed (failed: Failed): string {
  return callSaid(failed) ?? fill(texts.value.acts.reported, { text: failed.error })
}
