import type { CallCard, CallRecord } from '../../schema/actions.ts'
import type { Conversations } from '../conversations/index.ts'
import { textsIn } from '../locales/list.ts'
import { inWords } from '../platform/in-words.ts'

/** A call's arguments, as a card or a form shows them. */
type Given = CallCard['arguments']

/** The confirmation shown to a visitor, rendered by us: the action and its arguments. */
export function askedText (
  { title, confirm }: Pick<CallRecord, 'title' | 'confirm'>, given: CallCard['arguments'], language: string | null
): string {
  const words = textsIn(language, 'calls')
  return [(confirm === 'person' ? words.approval : words.confirm).replace('{title}', title), ...linesOf(given)].join('\n')
}

/**
 * The message about a call's outcome; undefined while that is unknown. `given`: its arguments, if not stated before.
 */
function settledText (
  { state, title, effect, error }: Pick<CallRecord, 'state' | 'title' | 'effect' | 'error'>, result: string | null,
  language: string | null, given: Given = []
): string | undefined {
  const words = textsIn(language, 'calls')
  const said: Partial<Record<CallRecord['state'], string>> = {
    // A read did nothing: its result is there to be read.
    done: effect === 'read' ? '{title}' : words.done,
    failed: words.failed,
    // Those who refused it know; nobody knows that a confirmed one was dropped.
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
 * Posts a call's outcome as a message of the agent: only while the agent speaks and is not writing an answer, which
 * would seem to reply to it.
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

/** The fields of a result, one a line: `Status: on its way`. */
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
    .map(([name, one]) => `${inWords(name.split('/').at(-1)!)}: ${String(one).slice(0, 200)}`)
}
