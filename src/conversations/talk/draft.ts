import type { Id } from '../../../schema/common.ts'
import type { AnswerDraft } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { speakerIn, turnOf } from '../answering/context.ts'
import { canned } from '../answering/small-talk/small-talk.ts'
import { answerTurn } from '../answering/turn.ts'
import type { TalkNeeds } from './contract.ts'
import { agentInactive } from './inactive.ts'

/** Why a draft is refused. */
export const NOTHING_ASKED = [
  'nothing_asked', 'The visitor has not asked anything that could be answered. Wait until they write.'
] as const satisfies Way

/**
 * What the agent would answer now, for a person who answers in its place: sent to nobody and not stored, and no action
 * is taken; the model's usage counts. Undefined if there is no such conversation. Refuses with `agent_inactive` and
 * `nothing_asked`; throws what `signal` throws.
 */
export async function draftAnswer (
  owner: Id, id: string, needs: TalkNeeds, signal: AbortSignal
): Promise<AnswerDraft | undefined> {
  const found = await speakerIn(needs, owner, id)
  if (!found) return undefined
  const { agent, conversation, read } = found
  if (agent.status === 'Inactive') throw agentInactive()
  const turn = turnOf(agent, conversation, read, '')
  // Visitors who want a person, or ask whether there is one, have one now: nothing an agent says to that is theirs.
  const kind = canned(turn.message, turn.language)
  if (turn.message === '' || kind === 'person' || kind === 'robot') throw new Refusal(...NOTHING_ASKED)
  // People who answer say who they are; no AI notice is added for them.
  const pieces = answerTurn({ ...turn, isFirst: false, isAside: true, peers: [] }, needs, signal)
  let piece = await pieces.next()
  while (!piece.done) piece = await pieces.next()
  const { text, citations, answered_by: by, unknown = false, run } = piece.value
  if (run) needs.noteRun(owner, run)
  return { text, citations, answered_by: by, unknown }
}
