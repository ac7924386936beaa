/** One server-sent event. `id` is what to send as `Last-Event-ID` to continue after it. */
export interface ServerEvent { id: string, data: string }

/** The events of a stream, as the HTML standard reads them: https://html.spec.whatwg.org/#event-stream-interpretation */
export async function * eventsIn (body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let id = ''
  let data: string[] = []
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop()!
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { id, data: data.join('\n') }
          data = []
          continue
        }
        const [, name, text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
        if (name === 'id') id = text
        else if (name === 'data') data.push(text)
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
