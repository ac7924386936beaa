import { Client as StatelessClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Test } from 'tap'
import type { Permission } from '../../schema/access.ts'
import { build } from '../helper.ts'

/** A server that listens, with an agent that knows about returns. */
export async function serving (t: Test, env: Record<string, string> = {}) {
  const served = await build(t, env)
  const me = await served.user()
  const url = new URL(`${await served.app.listen({ port: 0 })}/mcp`)
  const { id: agent } = (await me.post('/v1/agents', {
    name: 'Ada', systemPrompt: 'You help.', behavior: { continuousLearning: true }
  })).json().data
  await me.post(`/v1/agents/${agent}/knowledge_sources`, {
    title: 'Returns', plain_text: 'Returns are accepted within 30 days of delivery.'
  })
  await served.settled()
  const keyWith = async (...permissions: Permission[]) =>
    (await served.stores.access.createKey(me.id, () => ({ name: 'x', permissions, expires_at: null }))).answer.key
  return { ...served, me, url, agent, keyWith }
}

export type Served = Awaited<ReturnType<typeof serving>>

/** A client of the newest revision; `answer`: what its user says to elicitations. */
export async function stateless (
  t: Test, { url }: Served, key: string, answer?: object, meanwhile: () => Promise<unknown> = async () => {}
) {
  const client = new StatelessClient(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      ...(answer && { capabilities: { elicitation: { form: {} } } })
    } as never
  )
  const asked: string[] = []
  if (answer) {
    client.setRequestHandler('elicitation/create' as never, (async ({ params }: { params: { message: string } }) => {
      asked.push(params.message)
      await meanwhile()
      return answer
    }) as never)
  }
  await client.connect(new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${key}` } }
  }))
  t.teardown(async () => await client.close())
  return { client, asked }
}

export async function old (t: Test, { url }: Served, key: string) {
  const client = new OldClient({ name: 'test', version: '1' })
  await client.connect(new OldTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }) as never)
  t.teardown(async () => await client.close())
  return client
}
