/*
 * Lines of a streamed answer in OpenAI's protocol, before the library reads them. It takes a tool's arguments as text
 * only, which some servers send as an object; it abandons an answer when a token count is not a number; and a line
 * costs it many times what its text does, so text that arrived together is passed on as one line.
 */

export const LINE_FEED = 10
const ARGUMENTS = Buffer.from('"arguments"')
const USAGE = Buffer.from('"usage"')
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*[{[]/
const USAGE_OBJECT = /"usage"\s*:\s*\{/
const EVENT = 'data:'
/** The start of a text field, and the text as escaped. */
const CONTENT = /"content"\s*:\s*"(?=((?:[^"\\]|\\.)*)")/
const QUOTED = /^(?:[^"\\]|\\.)*$/

/** An event that only adds text: the text as escaped in it, and what surrounds it. */
interface Words { before: string, words: string, after: string }

/** Whole lines, in the form that the library handles best. */
export function mended (lines: Buffer): Buffer {
  if (lines.includes(ARGUMENTS)) return Buffer.from(lines.toString().split('\n').map(withTextArguments).join('\n'))
  // Some servers send `usage: null` with each word.
  const text = lines.includes(USAGE) ? lines.toString() : ''
  if (USAGE_OBJECT.test(text)) return Buffer.from(joined(text.split('\n').map(withPossibleUsage).join('\n')))
  // Most often one event comes at a time.
  return lines.indexOf(EVENT, EVENT.length) === -1 ? lines : Buffer.from(joined(lines.toString()))
}

/** An event that looks like this, corrected; unchanged if there is nothing to correct or it cannot be parsed. */
function changed (
  line: string, looks: RegExp, change: (event: Record<string, unknown>) => string | undefined
): string {
  if (!line.startsWith(EVENT) || !looks.test(line)) return line
  try {
    const event = change(JSON.parse(line.slice(EVENT.length)))
    return event === undefined ? line : `data: ${event}`
  } catch {
    return line
  }
}

const withTextArguments = (line: string) =>
  changed(line, OBJECT_ARGUMENTS, (event) =>
    JSON.stringify(event, (key, value) =>
      key === 'arguments' && typeof value === 'object' ? JSON.stringify(value) : value
    )
  )

const withPossibleUsage = (line: string) =>
  changed(line, USAGE_OBJECT, ({ usage, ...event }) =>
    isPossible(Object(usage)) ? undefined : JSON.stringify(event)
  )

/** Whether all its counts, nested ones too, are numbers or missing. */
function isPossible (usage: object): boolean {
  return Object.entries(usage).every(([name, value]) => {
    if (value === null) return true
    if (name.endsWith('_details')) return typeof value === 'object' && isPossible(value)
    return !name.endsWith('_tokens') || typeof value === 'number'
  })
}

/** Events, with consecutive ones that add text merged into one. */
function joined (lines: string): string {
  const events = lines.split('\n\n')
  // Empty, or the lines of an unfinished event.
  const rest = events.pop() ?? ''
  const all: Array<string | Words> = []
  for (const event of events) {
    const last = all.at(-1)
    const words = (typeof last === 'object' && wordsLike(last, event)) || wordsIn(event)
    if (words && typeof last === 'object') last.words += words.words
    else all.push(words ?? event)
  }
  return [
    ...all.map((one) => typeof one === 'string' ? one : one.before + one.words + one.after), rest
  ].join('\n\n')
}

/** The text of an event that differs from another only in its text: most do, and need no parsing. */
function wordsLike ({ before, after }: Words, event: string): Words | undefined {
  const isLike = event.length >= before.length + after.length && event.startsWith(before) && event.endsWith(after)
  const words = isLike ? event.slice(before.length, event.length - after.length) : '"'
  return QUOTED.test(words) ? { before, words, after } : undefined
}

/** Undefined if an event says anything else as well. */
function wordsIn (event: string): Words | undefined {
  const found = event.startsWith(EVENT) ? CONTENT.exec(event) : null
  const [key, words] = found ?? []
  if (!found || key === undefined || words === undefined || !addsWords(event.slice(EVENT.length))) return undefined
  const at = found.index + key.length
  const after = event.slice(at + words.length)
  return after.includes('"content"') ? undefined : { before: event.slice(0, at), words, after }
}

function addsWords (json: string): boolean {
  try {
    const { choices, usage = null, error = null } = JSON.parse(json)
    if (usage !== null || error !== null || choices?.length !== 1) return false
    const [{ delta, finish_reason: reason = null }] = choices
    return reason === null && typeof delta.content === 'string' && Object.keys(delta).length === 1
  } catch {
    return false
  }
}
