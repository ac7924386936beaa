import type { ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { acting, openSystem } from './helper.ts'

/** What a client of the protocol sends. */
export interface Rpc {
  id?: number
  method: string
  params?: { name?: string, arguments?: object, protocolVersion?: string }
}

/** An MCP server of the older revision, whose tools and answers the test defines. */
export async function older (t: Test, { isStream = false, instead = () => false }: {
  isStream?: boolean
  /** Answers a method itself, if given. */
  instead?: (method: string, reply: ServerResponse) => boolean
} = {}) {
  const state = {
    tools: [{
      name: 'cancel_order',
      title: 'Cancelling your order',
      description: 'Cancels an order.',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] }
    }] as object[],
    result: { content: [{ type: 'text', text: 'cancelled' }] } as object
  }
  const called: string[] = []
  const system = await openSystem(t, (request, reply, body) => {
    // A look-up is plain HTTP.
    if (request.method === 'GET') return system.json(reply, { status: 'cancelled' })
    const { id, method, params } = JSON.parse(body) as Rpc
    called.push(method)
    const send = (result: object) => {
      const message = { jsonrpc: '2.0', id, result }
      if (!isStream) return system.json(reply, message)
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.end(`event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: ${JSON.stringify(message)}\n\n`)
    }
    if (request.headers['mcp-protocol-version'] === '2026-07-28') return reply.writeHead(400).end('Unsupported')
    if (method === 'initialize') {
      reply.setHeader('mcp-session-id', 's-1')
      return send({ protocolVersion: params!.protocolVersion, capabilities: {} })
    }
    if (request.headers['mcp-session-id'] !== 's-1') return reply.writeHead(400).end()
    if (id === undefined) return reply.writeHead(202).end()
    if (instead(method, reply)) return
    send(method === 'tools/list' ? { tools: state.tools } : state.result)
  })
  return { ...system, state, called }
}

/** A connection to an MCP server, and its tools as enabled actions of the agent. */
export async function connected (
  t: Test, host: string, { path = '', secret = 'x', env = {} }: { path?: string, secret?: string, env?: Record<string, string> } = {}
) {
  const built = await acting(t, host, env)
  const { me, connection, id: agent } = built
  const base = `http://${host}${path}`
  const replaced = await me.put(`/v1/connections/${connection}`, { name: 'Tools', kind: 'mcp', base_url: base, auth: 'bearer', secret })
  t.equal(replaced.statusCode, 200, replaced.body)
  const plan = (await me.post('/v1/actions/import', { connection })).json().data as Array<{ key: string, can_import: boolean, effect: string, notes: string[] }>
  const make = async (...operations: string[]) => {
    const made = (await me.post('/v1/actions/import', { connection, operations })).json().data
    const ids = made.flatMap(({ action }: { action: number | null }) => action === null ? [] : [action]) as number[]
    await me.put(`/v1/agents/${agent}`, { behavior: { actionIds: ids } })
    return ids
  }
  const on = async (id: number, more = {}) => await me.patch(`/v1/actions/${id}`, { enabled: true, ...more })
  const tried = async (id: number, given: object) =>
    (await me.post(`/v1/actions/${id}/test`, { arguments: given, live: true })).json().data
  return { ...built, plan, make, on, tried }
}
