import type { QuestionDraft } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import type { Conversations } from '../conversations/index.ts'
import { masked, prepareMasks } from '../learning/index.ts'
import { Refusal } from '../platform/errors.ts'
import { inTurns } from '../platform/work/slices.ts'

/** Maximum messages before an answer among which its question is looked for. */
const BEFORE = 20
/** Maximum earlier messages that are included. */
const TOLD = 6

/**
 * A test question made from an answer, without addresses and numbers that identify who asked; undefined if there is no
 * such answer. Refuses with `not_an_answer` other messages.
 */
export async function draftOfMessage (
  { store, visitors }: Pick<Conversations, 'store' | 'visitors'>, owner: Id, conversation: string, id: string
): Promise<{ agent: Id, draft: QuestionDraft } | undefined> {
  const [kept, answer] = [await store.get(owner, conversation), await store.message(owner, conversation, id)]
  if (!kept || !answer) return undefined
  const before = (await store.messages(owner, conversation, { before: answer.seq }, BEFORE)) ?? []
  const name = kept.visitor === null ? null : ((await visitors.get(owner, kept.visitor))?.name ?? null)
  await inTurns(prepareMasks())
  return { agent: answerer(kept), draft: questionOf(answer, before, { language: kept.language, name }) }
}

/** The agent that answers in a conversation. */
const answerer = ({ speaker, agent }: ConversationRecord): Id => speaker ?? agent

/** See draftOfMessage; pure. `before`: earlier messages, oldest first; `name`: the visitor's. */
export function questionOf (
  answer: Pick<MessageRecord, 'role' | 'status' | 'citations' | 'unknown'>,
  before: ReadonlyArray<Pick<MessageRecord, 'role' | 'text'>>,
  { language, name }: { language: string | null, name: string | null }
): QuestionDraft {
  const spoken = before.filter(({ role, text }) => text !== '' && (role === 'visitor' || role === 'agent'))
  const at = spoken.findLastIndex(({ role }) => role === 'visitor')
  if (answer.role !== 'agent' || answer.status !== 'complete' || at < 0) {
    throw new Refusal('not_an_answer', 'Only a whole answer of the agent to a visitor can be made a test question.')
  }
  const sources = [...new Set(answer.citations.map(({ source }) => source))]
  return {
    text: masked(spoken[at]!.text, name),
    language,
    turns: spoken.slice(Math.max(0, at - TOLD), at).map(({ role, text }) => (
      { role: role as 'visitor' | 'agent', text: masked(text, name) }
    )),
    expect: answer.unknown || sources.length === 0 ? { unknown: answer.unknown } : { sources, unknown: false }
  }
}
