/** One event of a stream of server-sent events. */
interface StreamEvent { id: string | undefined, data: string }

/**
 * Parses a stream of server-sent events, however it is split into chunks. `push` returns the events that a chunk
 * completes.
 */
export function streamReader (): { push (piece: string): StreamEvent[] } {
  let rest = ''
  let id: string | undefined
  let data: string[] = []

  function line (text: string): StreamEvent | undefined {
    if (text === '') {
      const event = data.length > 0 ? { id, data: data.join('\n') } : undefined
      id = undefined
      data = []
      return event
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text)!
    if (field === 'data') data.push(value)
    else if (field === 'id') id = value
    return undefined
  }

  return {
    push (piece) {
      const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop()!
      return lines.map(line).filter((event) => event !== undefined)
    }
  }
}
