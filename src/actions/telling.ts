import type { CallCard, CallRecord } from '../../schema/actions.ts'
import type { Conversations } from '../conversations/index.ts'
import { textsIn } from '../locales/list.ts'

/** What a call was made with, as a card or a form has it. */
type Given = CallCard['arguments']

/** What a visitor is asked, drawn by us: what is to be done, and with what. */
export function askedText (
  { title, confirm }: Pick<CallRecord, 'title' | 'confirm'>, given: CallCard['arguments'], language: string | null
): string {
  const words = textsIn(language, 'calls')
  return [(confirm === 'person' ? words.approval : words.confirm).replace('{title}', title), ...linesOf(given)].join('\n')
}

/**
 * What is said once it is known what came of a call; undefined while it is not. `given`: with what it was done, where
 * nobody has said that before.
 */
function settledText (
  { state, title, effect, error }: Pick<CallRecord, 'state' | 'title' | 'effect' | 'error'>, result: string | null,
  language: string | null, given: Given = []
): string | undefined {
  const words = textsIn(language, 'calls')
  const said: Partial<Record<CallRecord['state'], string>> = {
    // What was looked up was not done: it is there to be read.
    done: effect === 'read' ? '{title}' : words.done,
    failed: words.failed,
    // Whoever refused it knows; of what was confirmed and dropped nobody does.
    ...(error !== null && { refused: words.failed }),
    unknown: words.lost,
    expired: words.expired
  }
  const text = said[state]?.replace('{title}', title)
  return text === undefined
    ? undefined
    : [text, ...linesOf(given), ...(state === 'done' ? drawn(result) : [])].join('\n')
}

const linesOf = (given: Given) => given.map(({ name, description, value }) => `${description || name}: ${value}`)

/**
 * Says what came of a call, as a remark of the agent: while it speaks, and writes no answer that would seem to answer
 * that.
 */
export async function tellOutcome (
  { talk }: Pick<Conversations, 'talk'>, call: CallRecord, result: string | null, given?: Given
) {
  await talk.remark(call.owner, call.conversation!, function * ({ conversation, generating }) {
    const text = settledText(call, result, conversation.language, given)
    const isSaid = text !== undefined && conversation.handled_by === 'agent' && conversation.status === 'open' && !generating
    return isSaid ? { text, jobs: [] } : undefined
  })
}

const MOST_LINES = 10

/** The fields of a result, one a line: `status: on its way`. */
export function drawn (result: string | null): string[] {
  if (result === null) return []
  let value: unknown
  try {
    value = JSON.parse(result)
  } catch {
    return [result.slice(0, 500)]
  }
  if (typeof value !== 'object' || value === null) return value === null ? [] : [String(value)]
  return Object.entries(value)
    .filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one))
    .slice(0, MOST_LINES)
    .map(([name, one]) => `${name.split('/').at(-1)}: ${String(one).slice(0, 200)}`)
}
