/*
 * Lines of a streamed answer in OpenAI's protocol, before the library reads them. It takes a tool's arguments as text
 * only, which some servers send as an object; and a line costs it many times what its words do, so that words that came
 * together are handed to it as one.
 */

export const LINE_FEED = 10
const ARGUMENTS = Buffer.from('"arguments"')
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*[{[]/
const EVENT = 'data:'

/** An event that does nothing but add words. */
interface Words { choices: [{ delta: { content: string } }] }

/** Whole lines, as the library takes them best. */
export function mended (lines: Buffer): Buffer {
  if (lines.includes(ARGUMENTS)) return Buffer.from(lines.toString().split('\n').map(withTextArguments).join('\n'))
  // Most often one event comes at a time.
  return lines.indexOf(EVENT, EVENT.length) === -1 ? lines : Buffer.from(joined(lines.toString()))
}

function withTextArguments (line: string): string {
  if (!line.startsWith(EVENT) || !OBJECT_ARGUMENTS.test(line)) return line
  try {
    return `data: ${JSON.stringify(JSON.parse(line.slice(EVENT.length)), (key, value) => (key === 'arguments' && typeof value === 'object' ? JSON.stringify(value) : value))}`
  } catch {
    return line
  }
}

/** Events of which those that add words right after one another are one. */
function joined (lines: string): string {
  const events = lines.split('\n\n')
  // Empty, or the lines of an event that is not over.
  const rest = events.pop() ?? ''
  const all: Array<string | Words> = []
  for (const event of events) {
    const words = wordsIn(event)
    const last = all.at(-1)
    if (words && typeof last === 'object') last.choices[0].delta.content += words.choices[0].delta.content
    else all.push(words ?? event)
  }
  return [...all.map((one) => typeof one === 'string' ? one : `data: ${JSON.stringify(one)}`), rest].join('\n\n')
}

/** Undefined where an event says anything else beside. */
function wordsIn (event: string): Words | undefined {
  if (!event.startsWith(EVENT)) return undefined
  try {
    const said = JSON.parse(event.slice(EVENT.length))
    const { choices, usage = null, error = null } = said
    if (usage !== null || error !== null || choices?.length !== 1) return undefined
    const [{ delta, finish_reason: reason = null }] = choices
    const isWords = reason === null && typeof delta.content === 'string' && Object.keys(delta).length === 1
    return isWords ? said : undefined
  } catch {
    return undefined
  }
}
