import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { exampleShop, SHOP_KEY } from '../../scripts/example-shop.ts'
import { talkative } from '../conversations/helper.ts'
import type { Asked } from '../conversations/slow-model.ts'

/** Listens on loopback until the test ends; its host with its port. */
async function listening (t: Test, server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The example shop. */
export async function openShop (t: Test) {
  const shop = exampleShop()
  return { ...shop, host: await listening(t, shop.server) }
}

/** A system that answers as the test specifies. */
export async function openSystem (
  t: Test, answer: (request: IncomingMessage, reply: ServerResponse, body: string) => unknown
) {
  const asked: Array<{ line: string, headers: IncomingMessage['headers'], body: string }> = []
  const host = await listening(t, createServer(async (request, reply) => {
    const body = await text(request).catch(() => '')
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    await answer(request, reply, body)
  }))
  return {
    asked,
    host,
    json: (reply: ServerResponse, data: unknown, status = 200) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data))
  }
}

/** Gives an agent these actions of the example shop at a host, each a button with a form. Returns their ids. */
export async function offerForms (
  me: Pick<Awaited<ReturnType<typeof talkative>>['me'], 'post' | 'put'>, agent: number, host: string, drafts: readonly object[]
): Promise<number[]> {
  const connection = (await me.post('/v1/connections', {
    name: 'Shop', base_url: `http://${host}`, auth: 'bearer', secret: SHOP_KEY
  })).json().data.id
  const actionIds: number[] = []
  for (const draft of drafts) {
    const made = await me.post('/v1/actions', { connection, enabled: true, as_form: true, ...draft })
    actionIds.push(made.json().data.id)
  }
  await me.put(`/v1/agents/${agent}`, { behavior: { actionIds } })
  return actionIds
}

/** The app with an agent and a connection to a system at this host. */
export async function acting (
  t: Test, host: string, env: Record<string, string> = {}, agent: object = {},
  options: Parameters<typeof talkative>[3] = {}
) {
  const built = await talkative(t, { AGENTHALL_ALLOWED_HOSTS: host, ...env }, agent, options)
  const { me, id: agentId } = built
  const made = await me.post('/v1/connections', {
    name: 'Our shop', base_url: `http://${host}`, auth: 'bearer', secret: SHOP_KEY
  })
  t.equal(made.statusCode, 201, made.body)
  const connection = made.json().data.id as number
  /** Creates an action, enabled, and gives it to the agent. */
  async function action (draft: object): Promise<number> {
    const made = await me.post('/v1/actions', { connection, enabled: true, ...draft })
    t.equal(made.statusCode, 201, made.body)
    const { id } = made.json().data
    const { behavior: { actionIds } } = (await me.get(`/v1/agents/${agentId}`)).json().data
    const given = await me.put(`/v1/agents/${agentId}`, { behavior: { actionIds: [...actionIds, id] } })
    t.equal(given.statusCode, 200, given.body)
    return id
  }
  const calls = async () => (await me.get('/v1/calls')).json().data as Array<Record<string, any>>
  return { ...built, connection, action, calls }
}

export const TRACK = {
  name: 'track_order',
  title: 'Looking up your order',
  when: 'The visitor asks where an order is.',
  effect: 'read',
  method: 'GET',
  path: '/orders/{number}',
  parameters: [{ name: 'number', in: 'path', type: 'string', pattern: '\\d{4}' }],
  result: { pick: ['/status', '/eta'] }
}
export const CANCEL = {
  name: 'cancel_order',
  title: 'Cancelling your order',
  when: 'The visitor wants to cancel an order.',
  effect: 'write',
  method: 'POST',
  path: '/orders/{number}/cancel',
  parameters: [
    { name: 'number', in: 'path', type: 'string', pattern: '\\d{4}', description: 'Number of the order' },
    { name: 'reason', in: 'body', type: 'string', enum: ['changed_mind', 'too_late', 'other'] }
  ],
  confirm: 'visitor',
  lookup: '/requests/{key}'
}

/** A call proposed in the conversation, as an answer would. */
export async function proposed (
  { stores, me, conversation }: Pick<Awaited<ReturnType<typeof acting>>, 'stores' | 'me' | 'conversation'>,
  action: number, given: Record<string, string>, more: object = {}
) {
  return await stores.actions.calls.propose(me.id, {
    action,
    arguments: given,
    identity: { externalId: null, verifiedEmail: null, conversation },
    isVerified: false,
    conversation,
    message: null,
    ...more
  })
}

/** Whether it is the call that may choose actions. */
export const isChoosing = ({ body }: Asked) => (body.tools ?? []).some(({ function: { name } }) => name !== 'act')
