/*
 * Lines of a streamed answer in OpenAI's protocol, before the library reads them. It takes a tool's arguments as text
 * only, which some servers send as an object; it gives an answer up for a count of tokens that is no number; and a line
 * costs it many times what its words do, so that words that came together are handed to it as one.
 */

export const LINE_FEED = 10
const ARGUMENTS = Buffer.from('"arguments"')
const USAGE = Buffer.from('"usage"')
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*[{[]/
const USAGE_OBJECT = /"usage"\s*:\s*\{/
const EVENT = 'data:'
/** The beginning of words, and the words as they are written. */
const CONTENT = /"content"\s*:\s*"(?=((?:[^"\\]|\\.)*)")/
const QUOTED = /^(?:[^"\\]|\\.)*$/

/** An event that does nothing but add words: how they are written in it, and what stands around them. */
interface Words { before: string, words: string, after: string }

/** Whole lines, as the library takes them best. */
export function mended (lines: Buffer): Buffer {
  if (lines.includes(ARGUMENTS)) return Buffer.from(lines.toString().split('\n').map(withTextArguments).join('\n'))
  // Some say with each word that there is none yet.
  const text = lines.includes(USAGE) ? lines.toString() : ''
  if (USAGE_OBJECT.test(text)) return Buffer.from(joined(text.split('\n').map(withPossibleUsage).join('\n')))
  // Most often one event comes at a time.
  return lines.indexOf(EVENT, EVENT.length) === -1 ? lines : Buffer.from(joined(lines.toString()))
}

/** An event that looks like this, as it is to be; as it came where nothing is to be changed, or it cannot be read. */
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

/** Whether all of its counts, and those of what they consist of, are numbers or missing. */
function isPossible (usage: object): boolean {
  return Object.entries(usage).every(([name, value]) => {
    if (value === null) return true
    if (name.endsWith('_details')) return typeof value === 'object' && isPossible(value)
    return !name.endsWith('_tokens') || typeof value === 'number'
  })
}

/** Events of which those that add words right after one another are one. */
function joined (lines: string): string {
  const events = lines.split('\n\n')
  // Empty, or the lines of an event that is not over.
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

/** The words of an event that differs from another in nothing else: most do, and are not taken apart for it. */
function wordsLike ({ before, after }: Words, event: string): Words | undefined {
  const isLike = event.length >= before.length + after.length && event.startsWith(before) && event.endsWith(after)
  const words = isLike ? event.slice(before.length, event.length - after.length) : '"'
  return QUOTED.test(words) ? { before, words, after } : undefined
}

/** Undefined where an event says anything else beside. */
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
