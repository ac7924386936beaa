import { hash, randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { Permission } from '../../../schema/access.ts'
import { openSystem } from '../../actions/helper.ts'
import { build } from '../../helper.ts'

export const CALLBACK = 'https://assistant.example/callback'

/** The site of an assistant, whose document the test defines. */
export async function openAssistant (t: Test) {
  const document: Record<string, unknown> = { client_name: 'Helpful', redirect_uris: [CALLBACK, 'http://127.0.0.1/back'] }
  const answer = { status: 200, type: 'application/json' }
  const site = await openSystem(t, (_request, reply) => {
    reply.writeHead(answer.status, { 'content-type': answer.type })
    reply.end(JSON.stringify({ client_id: client, ...document }))
  })
  const client = `http://${site.host}/client.json`
  return { ...site, client, document, answer }
}

/** Without what is undefined. */
const formOf = (said: Record<string, string | undefined>) => new URLSearchParams(
  Object.entries(said).filter((one): one is [string, string] => one[1] !== undefined)
).toString()

/** A server that listens, an assistant's site that it may call, and a signed-in user. */
export async function asking (
  t: Test, env: Record<string, string> = {}, options: Parameters<typeof build>[2] = {}
) {
  const assistant = await openAssistant(t)
  const built = await build(t, { AGENTHALL_ALLOWED_HOSTS: assistant.host, ...env }, options)
  const me = await built.user({ name: 'Ada' })
  const session = await built.withSession(me.id)
  const base = (await built.app.listen({ port: 0, host: '127.0.0.1' })).replace(/\/$/, '')
  const verifier = randomBytes(32).toString('base64url')

  /** The assistant's authorization request, except what the test overrides; undefined leaves it out. */
  function queryWith (other: Record<string, string | undefined> = {}): string {
    const said = {
      response_type: 'code',
      client_id: assistant.client,
      redirect_uri: CALLBACK,
      state: 'its state',
      scope: 'MANAGE_AGENTS VIEW_ANALYTICS',
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      resource: `${base}/mcp`,
      ...other
    }
    return formOf(said)
  }

  const look = async (other = {}) => await session.post('/v1/assistants/look', { query: queryWith(other) })
  const allow = async (other = {}, permissions: Permission[] = ['VIEW_ANALYTICS'], days?: number) =>
    await session.post('/v1/assistants', { query: queryWith(other), permissions, ...(days && { days }) })
  /** The code with which the browser is redirected back. */
  const codeOf = async (...said: Parameters<typeof allow>): Promise<string> =>
    new URL((await allow(...said)).json().data.redirect_to).searchParams.get('code')!
  const form = async (url: string, said: Record<string, string | undefined>, headers: Record<string, string> = {}) => {
    const answer = await built.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: formOf(said)
    })
    return { status: answer.statusCode, headers: answer.headers, ...answer.json() }
  }
  type Said = Record<string, string | undefined>
  const exchange = async (code: string, other: Said = {}, headers = {}) => await form('/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: assistant.client,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    resource: `${base}/mcp`,
    ...other
  }, headers)
  const refresh = async (token: string, other: Record<string, string | undefined> = {}) => await form('/oauth/token', {
    grant_type: 'refresh_token', refresh_token: token, client_id: assistant.client, ...other
  })
  /** The response of /mcp to a token. */
  const ping = async (token: string) => (await built.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'ping' }
  })).statusCode
  const connected = async () => await exchange(await codeOf())
  return {
    ...built,
    assistant,
    me,
    session,
    base,
    verifier,
    queryWith,
    look,
    allow,
    codeOf,
    form,
    exchange,
    refresh,
    ping,
    connected
  }
}
