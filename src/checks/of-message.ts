import type { QuestionDraft } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import type { Conversations } from '../conversations/index.ts'
import { masked } from '../learning/index.ts'
import { Refusal } from '../platform/errors.ts'

/** Messages before an answer among which its question is. */
const BEFORE = 20
/** Of what was said before a question, so much is told along. */
const TOLD = 6

/**
 * The question that an answer makes, without addresses and numbers that tell who asked; undefined where there is no
 * such answer. Refuses with `not_an_answer` what is none.
 */
export async function draftOfMessage (
  { store, visitors }: Pick<Conversations, 'store' | 'visitors'>, owner: Id, conversation: string, id: string
): Promise<{ agent: Id, draft: QuestionDraft } | undefined> {
  const [kept, answer] = [await store.get(owner, conversation), await store.message(owner, conversation, id)]
  if (!kept || !answer) return undefined
  const before = (await store.messages(owner, conversation, { before: answer.seq }, BEFORE)) ?? []
  const name = kept.visitor === null ? null : ((await visitors.get(owner, kept.visitor))?.name ?? null)
  return { agent: answerer(kept), draft: questionOf(answer, before, { language: kept.language, name }) }
}

/** Whose answers those of a conversation are. */
const answerer = ({ speaker, agent }: ConversationRecord): Id => speaker ?? agent

/** See draftOfMessage; pure. `before`: what was said before, oldest first; `name`: the visitor's. */
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
