import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/*
 * A provider of language models in its own process. It speaks the protocols of OpenAI (/v1/chat/completions) and of
 * Anthropic (/v1/messages), also badly: the model requested says how. GET /asked returns its requests since the last
 * time.
 */

interface Asked { method: string, path: string, headers: Record<string, unknown>, body: string }
const asked: Asked[] = []
const counts = new Map<string, number>()

/** A piece of an answer in each protocol. */
interface Wire {
  begin (reply: ServerResponse): void
  delta (reply: ServerResponse, text: string): void
  end (reply: ServerResponse, reason: 'stop' | 'length' | 'filter'): void
}

const event = (data: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const streaming = (reply: ServerResponse) => reply.writeHead(200, { 'content-type': 'text/event-stream' })

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }]
})
const USAGE = {
  prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, prompt_tokens_details: { cached_tokens: 200 }
}

const openai: Wire = {
  begin: (reply) => { streaming(reply).write(event(chunk({ role: 'assistant', content: '' }))) },
  delta: (reply, content) => { reply.write(event(chunk({ content }))) },
  end (reply, reason) {
    reply.write(event(chunk({}, { stop: 'stop', length: 'length', filter: 'content_filter' }[reason])))
    reply.write(event({ ...chunk({}), choices: [], usage: USAGE }))
    reply.end(event('[DONE]'))
  }
}

const anthropic: Wire = {
  begin (reply) {
    const message = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 800, cache_read_input_tokens: 200, cache_creation_input_tokens: 0, output_tokens: 1 }
    }
    streaming(reply).write(event({ type: 'message_start', message }, 'message_start'))
    reply.write(
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start')
    )
    reply.write(event({ type: 'ping' }, 'ping'))
  },
  delta: (reply, text) => {
    reply.write(
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta')
    )
  },
  end (reply, reason) {
    reply.write(event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'))
    reply.write(
      event(
        {
          type: 'message_delta',
          delta: {
            stop_reason: { stop: 'end_turn', length: 'max_tokens', filter: 'refusal' }[reason], stop_sequence: null
          },
          usage: { output_tokens: 50 }
        },
        'message_delta'
      )
    )
    reply.end(event({ type: 'message_stop' }, 'message_stop'))
  }
}

/** How an answer proceeds, by the name of the model. */
type Play = (reply: ServerResponse, wire: Wire, times: number, body: string) => void

const refuse =
  (
    status: number,
    body: unknown = { error: { message: 'SECRET of the provider', type: 'server_error' } },
    headers: Record<string, string> = {}
  ): Play =>
    (reply) => {
      reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    }

const well: Play = (reply, wire) => {
  wire.begin(reply)
  for (const word of ['Returns ', 'are free ', '[1]', '. \u{1F600}']) wire.delta(reply, word)
  wire.end(reply, 'stop')
}

const saying = (reason: 'stop' | 'length' | 'filter', ...pieces: string[]): Play => (reply, wire) => {
  wire.begin(reply)
  for (const piece of pieces) wire.delta(reply, piece)
  wire.end(reply, reason)
}

/** Begins well, and then this. */
const begun = (then: (reply: ServerResponse) => void): Play => (reply, wire) => {
  wire.begin(reply)
  wire.delta(reply, 'half ')
  reply.write('', () => then(reply))
}

/** Lines as servers in the wild send them; OpenAI's protocol only. */
const raw =
  (...events: unknown[]): Play =>
    (reply) => {
      streaming(reply).end(events.map((one) => event(one)).join(''))
    }
const tool = (call: object, finish: string) =>
  raw(
    chunk({ role: 'assistant', content: 'One moment. ' }),
    chunk({ tool_calls: [call] }),
    chunk({}, finish),
    { ...chunk({}), choices: [], usage: USAGE },
    '[DONE]'
  )
const call = { name: 'act', arguments: '{"action":"handoff","reason":"asked"}' }

const PLAYS: Record<string, Play> = {
  well,
  thinking: saying('stop', '<th', 'ink>hm, ', 'let me see</thi', 'nk>\n\nYes', '.'),
  'only-thinking': saying('stop', '<think>never ends'),
  cut: saying('length', 'too long'),
  filtered: saying('filter', 'no'),
  burst: (reply, wire) => {
    wire.begin(reply)
    for (let word = 0; word < 5000; word++) wire.delta(reply, `w${word} `)
    wire.end(reply, 'stop')
  },
  429: refuse(429),
  'busy-once': (reply, wire, times, body) =>
    times === 1
      ? refuse(429, undefined, { 'retry-after': '0' })(reply, wire, times, body)
      : well(reply, wire, times, body),
  'busy-long': refuse(429, undefined, { 'retry-after': '600' }),
  500: refuse(500),
  'broken-once': (reply, wire, times, body) =>
    times === 1 ? refuse(503)(reply, wire, times, body) : well(reply, wire, times, body),
  401: refuse(401),
  404: refuse(404),
  400: refuse(400),
  'too-long': refuse(400, {
    error: { message: "This model's maximum context length is 10 tokens.", code: 'context_length_exceeded' }
  }),
  redirect: (reply) => {
    reply.writeHead(307, { location: '/v1/elsewhere' }).end()
  },
  page: (reply) => {
    reply.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
  },
  reset: (reply) => {
    reply.socket!.resetAndDestroy()
  },
  hang: () => {},
  headers: (reply) => {
    streaming(reply).flushHeaders()
  },
  stall: begun(() => {}),
  severed: begun((reply) => reply.socket!.destroy()),
  unfinished: begun((reply) => reply.end()),
  'ends-oddly': begun((reply) => {
    reply.end(event({ choices: [{ index: 0, delta: {}, finish_reason: 'engine_overloaded' }] }))
  }),
  broken: begun((reply) => {
    reply.end('data: {"choices": [{"delta": {"content"\n\n')
  }),
  'error-inside': begun((reply) => {
    reply.end(event({ error: { message: 'SECRET overloaded', type: 'server_error' } }))
  }),
  'broken-at-once': raw('{"no json'),
  tool: tool({ index: 0, id: 'call_1', type: 'function', function: call }, 'tool_calls'),
  'tool-stop': tool({ index: 0, id: 'call_1', type: 'function', function: call }, 'stop'),
  'tool-no-id': tool({ index: 0, type: 'function', function: call }, 'tool_calls'),
  'tool-no-index': tool({ id: 'call_1', type: 'function', function: call }, 'tool_calls'),
  'tool-object': tool(
    {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'act', arguments: { action: 'handoff', reason: 'asked' } }
    },
    'tool_calls'
  ),
  'tool-nonsense': tool(
    { index: 0, id: 'call_1', type: 'function', function: { name: 'act', arguments: '{"action": 7}' } }, 'tool_calls'
  ),
  'tool-other': tool(
    { index: 0, id: 'call_1', type: 'function', function: { name: 'rm', arguments: '{}' } }, 'tool_calls'
  ),
  'tool-cut': tool(
    { index: 0, id: 'call_1', type: 'function', function: { name: 'act', arguments: '{"action": "hand' } },
    'tool_calls'
  ),
  'tool-object-cut': (reply) => {
    streaming(reply).end('data: {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": {"a\n\n')
  },
  // A chosen tool in Anthropic's protocol.
  'anthropic-tool': (reply) => {
    const usage = { input_tokens: 800, cache_read_input_tokens: 200, cache_creation_input_tokens: 0, output_tokens: 1 }
    const message = {
      id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage
    }
    const block = { type: 'tool_use', id: 'toolu_1', name: 'track_order', input: {} }
    const delta = { type: 'input_json_delta', partial_json: '{"number":"1001"}' }
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: 'message_stop' }
    ]
    streaming(reply).end(events.map((one) => event(one, one.type)).join(''))
  },
  'openai-tool': tool(
    {
      index: 0, id: 'call_1', type: 'function', function: { name: 'track_order', arguments: '{"number":"1001"}' }
    },
    'tool_calls'
  ),
  'large-headers': (reply) => {
    reply.writeHead(200, { 'x-long': 'a'.repeat(60_000) }).end()
  },
  'no-usage': raw(chunk({ content: 'Yes.' }), chunk({}, 'stop'), '[DONE]'),
  'wordy-usage': raw(
    chunk({ content: 'Yes.' }), chunk({}, 'stop'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: '12', completion_tokens: 'many', total_tokens: [] } }, '[DONE]'
  ),
  'impossible-usage': raw(
    chunk({ content: 'Yes.' }), chunk({}, 'stop'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: -1_000_000, completion_tokens: 1e300, total_tokens: 0 } },
    '[DONE]'
  ),
  'fenced-json': saying('stop', 'Sure!\n```json\n{"query": "returns"}\n', '```'),
  'no-tools': (reply, wire, times, body) =>
    /"tools"/.test(body)
      ? refuse(400, { error: { message: 'This model does not support tools.' } })(reply, wire, times, body)
      : well(reply, wire, times, body),
  'no-stream-options': (reply, wire, times, body) =>
    'stream_options' in JSON.parse(body)
      ? refuse(400, { error: { message: 'Unrecognized request argument supplied: stream_options' } })(
        reply, wire, times, body
      )
      : well(reply, wire, times, body),
  picky: (reply, wire, times, body) => {
    const { temperature, max_tokens: most } = JSON.parse(body)
    if (most !== undefined) {
      return refuse(400, {
        error: { message: 'Unsupported parameter: max_tokens. Use max_completion_tokens instead.' }
      })(reply, wire, times, body)
    }
    if (temperature !== undefined) {
      return refuse(400, { error: { message: 'Unsupported value: temperature does not support 0.7.' } })(
        reply, wire, times, body
      )
    }
    well(reply, wire, times, body)
  }
}

async function answer (request: IncomingMessage, reply: ServerResponse) {
  if (request.url === '/asked') return reply.end(JSON.stringify(asked.splice(0)))
  const body = await text(request)
  const { host: _host, ...headers } = request.headers
  asked.push({ method: request.method ?? '', path: request.url ?? '', headers, body })
  if (request.url === '/v1/models') {
    const isKnown = headers.authorization === 'Bearer secret-key' || headers['x-api-key'] === 'secret-key'
    return reply.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end('{"data":[]}')
  }
  const { model } = JSON.parse(body) as { model: string }
  counts.set(model, (counts.get(model) ?? 0) + 1)
  const wire = request.url === '/v1/messages' ? anthropic : openai
  PLAYS[model]!(reply, wire, counts.get(model)!, body)
}

const server = createServer((request, reply) => { answer(request, reply).catch(() => reply.destroy()) })
server.listen(0, '127.0.0.1', () => { process.stdout.write(`${(server.address() as AddressInfo).port}\n`) })
// Its parent process has gone.
process.stdin.resume().on('end', () => process.exit())
