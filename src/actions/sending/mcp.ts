import { hash } from 'node:crypto'
import type { FetchedBytes } from '../../platform/net/egress.ts'
import type { Failure, McpTool } from '../contract.ts'
import { UnsentError } from './failure.ts'
import type { Request } from './request.ts'
import { objectOf } from '../../platform/objects.ts'

/*
 * The Model Context Protocol as a client speaks it over Streamable HTTP: revision 2026-07-28, whose requests are
 * self-contained, and if a server does not support it, 2025-11-25 with its handshake. Never over stdio.
 */

const STATELESS = '2026-07-28'
const WITH_HANDSHAKE = '2025-11-25'
const META = 'io.modelcontextprotocol'
/** Maximum tools read from a server, and pages in which it may list them. */
const [MOST_TOOLS, MOST_PARTS] = [500, 10]

/** A tool's result: text for a reader, or why there is none; `isLost`: it may have been done. */
type McpResult = { result: string } | Failure & { isLost?: boolean }

/** Sends one request, with its credentials. */
export type Post = (request: Request) => Promise<FetchedBytes>

/** A server whose revision has been negotiated. */
interface McpServer {
  tools (): Promise<McpTool[]>
  /** Calls a tool, once. Throws what sending throws. */
  call (name: string, given: Record<string, unknown>, key: string): Promise<McpResult>
}

/** The server refused the connection; nothing was called. */
const refused = (why: string, code: 'unreadable' | 'denied' = 'unreadable') =>
  new UnsentError(code, `The MCP server ${why}`)

/** Opens the newest revision that both speak. Throws a Refusal if there is none, and what sending throws. */
export async function openMcp (url: string, post: Post, version: string): Promise<McpServer> {
  const client = { name: 'agenthall', version }
  let count = 0

  /** The result of one request. `headers`: those of the revision. */
  async function ask (
    method: string, params: Record<string, unknown>, headers: Record<string, string>
  ): Promise<{ answer: FetchedBytes, message: Record<string, unknown> | undefined }> {
    const id = ++count
    const answer = await post({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params })
    })
    return { answer, message: messageIn(answer, id) }
  }

  type Speak = typeof ask
  const stateless: Speak = (method, params, headers) => ask(
    method,
    {
      ...params,
      _meta: {
        [`${META}/protocolVersion`]: STATELESS,
        [`${META}/clientInfo`]: client,
        [`${META}/clientCapabilities`]: {}
      }
    },
    {
      ...headers,
      'mcp-protocol-version': STATELESS,
      'mcp-method': method,
      ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] })
    }
  )

  async function shakeHands (): Promise<Speak> {
    const { answer, message } = await ask(
      'initialize', { protocolVersion: WITH_HANDSHAKE, capabilities: {}, clientInfo: client }, {}
    )
    const agreed = objectOf(message?.['result'])['protocolVersion']
    if (typeof agreed !== 'string') throw refused(`speaks no known protocol revision (${answer.status}).`)
    const session = answer.headers['mcp-session-id']
    const always = { 'mcp-protocol-version': agreed, ...(session && { 'mcp-session-id': session }) }
    await post({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...always },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    })
    return (method, params, headers) => ask(method, params, { ...headers, ...always })
  }

  const first = await stateless('tools/list', {}, {})
  const isKnown = objectOf(first.message?.['result'])['tools'] !== undefined
  if (first.answer.status === 401 || first.answer.status === 403) {
    throw refused(`does not accept the secret of the connection (${first.answer.status}).`, 'denied')
  }
  const speak = isKnown ? stateless : await shakeHands()
  return { tools, call }

  async function tools (): Promise<McpTool[]> {
    const all: McpTool[] = []
    let cursor: unknown
    for (let part = 0; part < MOST_PARTS; part++) {
      const { message } = part === 0 && isKnown ? first : await speak('tools/list', cursor === undefined ? {} : { cursor }, {})
      const { tools: listed, nextCursor } = objectOf(message?.['result'])
      if (!Array.isArray(listed)) throw refused('did not list its tools.')
      all.push(...listed.map(toolOf).filter((one) => one !== undefined))
      cursor = nextCursor
      if (typeof cursor !== 'string' || all.length >= MOST_TOOLS) break
    }
    return all.slice(0, MOST_TOOLS)
  }

  async function call (name: string, given: Record<string, unknown>, key: string): Promise<McpResult> {
    const { answer, message } = await speak('tools/call', { name, arguments: given }, { 'idempotency-key': key })
    if (!message) {
      const isLost = answer.status < 400 || answer.status >= 500 || answer.status === 408
      const error = `The MCP server answered ${answer.status} without a result.`
      return { error, error_code: 'unreadable', isLost }
    }
    if (message['error'] !== undefined) return { error: 'The MCP server refused the call.', error_code: 'refused' }
    const result = objectOf(message['result'])
    // It asks for input that would have to come from a person, and nobody has been asked.
    if (result['resultType'] === 'input_required') {
      return { error: 'The tool asks for more input, which is not supported.', error_code: 'needs_input' }
    }
    const text = textOf(result)
    return result['isError'] === true
      ? { error: 'The tool says that it failed.', error_code: 'tool_failed' }
      : { result: text }
  }
}

/** Digest of a tool, so that changes to it are detected. */
export const digestOf = ({ name, description, inputSchema }: McpTool): string =>
  hash('sha256', JSON.stringify([name, description, inputSchema]), 'base64url').slice(0, 32)

function toolOf (told: unknown): McpTool | undefined {
  const { name, title, description, inputSchema } = objectOf(told)
  if (typeof name !== 'string' || !/^[A-Za-z0-9_./-]{1,128}$/.test(name)) return undefined
  const text = (value: unknown) => typeof value === 'string' ? value : ''
  return { name, title: text(title) || name, description: text(description), inputSchema: inputSchema ?? {} }
}

/** Structured content as JSON, or the texts that there are. */
function textOf ({ structuredContent, content }: Record<string, unknown>): string {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent)
  const parts = Array.isArray(content) ? content.map(objectOf) : []
  return parts.flatMap(({ type, text }) => type === 'text' && typeof text === 'string' ? [text] : []).join('\n')
}

/** The message with this id: the body, or one of the events of a stream. */
function messageIn ({ contentType, bytes }: FetchedBytes, id: number): Record<string, unknown> | undefined {
  const body = Buffer.from(bytes).toString()
  const texts = contentType === 'text/event-stream' ? eventsIn(body) : [body]
  for (const text of texts) {
    try {
      const message = objectOf(JSON.parse(text))
      if (message['id'] === id) return message
    } catch {
      // Anything but JSON is no response.
    }
  }
  return undefined
}

/** The data of each event. */
function eventsIn (body: string): string[] {
  const events: string[] = []
  let data: string[] = []
  for (const line of [...body.split(/\r\n|\r|\n/), '']) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    else if (line === '' && data.length > 0) {
      events.push(data.join('\n'))
      data = []
    }
  }
  return events
}
