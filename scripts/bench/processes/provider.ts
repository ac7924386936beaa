import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/*
 * A language model in a process of its own, behind OpenAI's protocol. The model `instant` says all it has to say at
 * once. Any other waits until the benchmark tells it to go, and says a word every 20 ms until it is told to stop; each
 * word is the time at which it was said, in microseconds, so that whoever reads it knows how late it is.
 */
const EVERY_MS = 20
const WORDS = 30
const slow = new Set<ServerResponse>()

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const [before, after] = chunk({ content: '|' }).split('|') as [string, string]
const end = chunk({}, 'stop') + 'data: [DONE]\n\n'
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000)

const server = createServer(async (request, reply) => {
  const { model } = JSON.parse(await text(request)) as { model: string }
  reply.writeHead(200, { 'content-type': 'text/event-stream' })
  reply.write(chunk({ role: 'assistant', content: '' }))
  // Names a source, so that it is shown from the first word on.
  reply.write(chunk({ content: 'So it is [1]. ' }))
  if (model === 'instant') {
    return reply.end(Array.from({ length: WORDS }, (_none, word) => chunk({ content: `word${word} ` })).join('') + end)
  }
  slow.add(reply.once('close', () => slow.delete(reply)))
})

// Spread over the time between two words, as answers are that began at different moments.
const SLICES = 10
let slice = 0
let due = Infinity
setInterval(() => {
  // A timer that comes late is made up for, as a model does not wait for its reader.
  for (; due <= performance.now(); due += EVERY_MS / SLICES) sayOn(slice++ % SLICES)
}, 1)

function sayOn (slice: number) {
  let i = 0
  for (const reply of slow) if (i++ % SLICES === slice) reply.write(`${before}at${now()} ${after}`)
}

process.on('message', (told) => {
  if (told === 'go') {
    due = performance.now()
    return
  }
  due = Infinity
  for (const reply of slow) reply.end(end)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => { process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`) })
