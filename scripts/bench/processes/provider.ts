import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/*
 * A language model in a separate process, behind OpenAI's protocol. The model `instant` says everything at once; where
 * it may choose a tool, it chooses the first for an order that it reads of. Any other waits until the benchmark starts
 * it, and says a word every 20 ms until stopped; each word is the time at which it was said, in microseconds, so that
 * readers know how late it is.
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
  const { model, tools = [], messages = [] } = JSON.parse(await text(request)) as {
    model: string, tools?: Array<{ function: { name: string } }>, messages?: Array<{ content: unknown }>
  }
  reply.writeHead(200, { 'content-type': 'text/event-stream' })
  const tool = tools.find(({ function: { name } }) => name !== 'act')
  if (tool) {
    const [number] = /\b\d{4}\b/.exec(JSON.stringify(messages.at(-1)?.content)) ?? []
    const call = { index: 0, id: 'c', type: 'function', function: { name: tool.function.name, arguments: JSON.stringify({ number }) } }
    return reply.end((number ? chunk({ role: 'assistant', tool_calls: [call] }, 'tool_calls') : chunk({ content: 'none' }, 'stop')) + 'data: [DONE]\n\n')
  }
  reply.write(chunk({ role: 'assistant', content: '' }))
  // Cites a source, so that it is shown from the first word on.
  reply.write(chunk({ content: 'So it is [1]. ' }))
  if (model === 'instant') {
    return reply.end(Array.from({ length: WORDS }, (_none, word) => chunk({ content: `word${word} ` })).join('') + end)
  }
  slow.add(reply.once('close', () => slow.delete(reply)))
})

// Spread over the time between two words, like answers that began at different moments.
const SLICES = 10
let slice = 0
let due = Infinity
setInterval(() => {
  // A late timer is made up for, since a model does not wait for its reader.
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
