import http from 'node:http'

/*
 * A separate process that holds many streams open: of answers, which it requests, or of conversations in which nothing
 * happens. It reports how many have begun, how many words it has read since the last report, and how late they were.
 */
const { url, headers, paths, question } = JSON.parse(process.argv[2]!) as {
  url: string, headers: Record<string, string>, paths: string[], question: string | null
}
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
let begun = 0
let over = 0
let late: number[] = []

for (const path of paths) {
  const request = http.request(
    url + path,
    {
      agent,
      method: question === null ? 'GET' : 'POST',
      headers: {
        ...headers, accept: 'text/event-stream', ...(question !== null && { 'content-type': 'application/json' })
      }
    },
    (answer) => {
      if (answer.statusCode !== 200) throw new Error(`A stream was answered with ${answer.statusCode}.`)
      let isBegun = false
      let rest = ''
      answer.setEncoding('latin1').on('data', (piece: string) => {
        if (!isBegun && (question === null || piece.includes('text-delta'))) {
          isBegun = true
          begun++
        }
        const now = (performance.timeOrigin + performance.now()) * 1000
        const lines = (rest + piece).split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          // The whole answer at the end repeats the text.
          if (!line.startsWith('data: {"type":"text-delta"')) continue
          for (const [, at] of line.matchAll(/at(\d{16})/g)) late.push((now - Number(at)) / 1000)
        }
      })
      answer.once('close', () => {
        over++
      })
    }
  )
  request.end(question === null ? undefined : JSON.stringify({ text: question, stream: true }))
}

process.on('message', () => {
  const sorted = Float64Array.from(late).sort()
  late = []
  process.send!({
    begun,
    over,
    words: sorted.length,
    p50: sorted[Math.floor(sorted.length / 2)] ?? null,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? null
  })
})
process.on('disconnect', () => process.exit())
process.send!('reading')
