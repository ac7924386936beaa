import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { Test } from 'tap'

/** A question that the model received, and its scripted answer. */
export interface Asked {
  body: {
    model: string
    temperature: number
    messages: Array<{ role: string, content: string }>
    tools?: Array<{ function: { name: string, description: string, parameters: object } }>
  }
  /** The provider's request, to the byte. */
  raw: string
  say (text: string): Promise<void>
  end (): void
  /** Proposes something besides its text. */
  propose (action: string, reason: string): Promise<void>
  /** Chooses one of the tools that it was offered, or claims to. */
  call (name: string, given: unknown): Promise<void>
  /** Ends the connection without the end of an answer. */
  cut (): void
  /** Ends the answer properly, but without saying that it is finished. */
  stopShort (): void
  refuse (status: number, headers?: Record<string, string>): void
  /** Resolves when the caller has disconnected. */
  gone: Promise<void>
}

/** A model behind OpenAI's protocol that says what and when a test specifies; `url` is for AGENTHALL_MODEL_URL. */
export async function slowModel (t: Test, play?: (asked: Asked) => unknown) {
  const waiting: Asked[] = []
  const hungry: Array<(asked: Asked) => void> = []
  const all: Asked[] = []
  const server = createServer(async (request, reply) => {
    const asked = askedBy(reply, await textOf(request))
    all.push(asked)
    if (play) return play(asked)
    const taker = hungry.shift()
    if (taker) taker(asked)
    else waiting.push(asked)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    all,
    /** The next question, when it comes. */
    next: async () => waiting.shift() ?? await new Promise<Asked>((resolve) => hungry.push(resolve))
  }
}

function askedBy (reply: ServerResponse, raw: string): Asked {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const begin = () => { if (!reply.headersSent) reply.writeHead(200, { 'content-type': 'text/event-stream' }) }
  const end = (last: string) => {
    begin()
    reply.end(last)
  }
  let calls = 0
  const call = async (name: string, given: unknown) => {
    begin()
    const one = {
      index: calls++, id: `call_${calls}`, type: 'function', function: { name, arguments: JSON.stringify(given) }
    }
    await new Promise<void>((resolve) => reply.write(chunk({ tool_calls: [one] }), () => resolve()))
  }
  return {
    body: JSON.parse(raw),
    raw,
    say: async (content) => {
      begin()
      await new Promise<void>((resolve) => reply.write(chunk({ content }), () => resolve()))
    },
    propose: (action, reason) => call('act', { action, reason }),
    call,
    end: () => end(`${chunk({}, 'stop')}data: [DONE]\n\n`),
    stopShort: () => end(''),
    cut: () => {
      reply.socket?.resetAndDestroy()
    },
    refuse: (status, headers = {}) => {
      reply
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end('{"error":{"message":"SECRET of the provider"}}')
    },
    gone: new Promise((resolve) => {
      reply.once('close', resolve)
    })
  }
}
