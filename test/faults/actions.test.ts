import t from 'tap'
import { SHOP_KEY } from '../../scripts/example-shop.ts'
import { openSystem } from '../actions/helper.ts'
import { client, cycles, scratch, seeded, serve } from './tools/server.ts'

// Planted fault: calls that were running at the end are started again on restart.
t.test('kill -9 at every state of a call: what was confirmed is done once, and it is known what came of it', async (t) => {
  const directory = scratch(t)
  const random = seeded(25)
  const done = new Map<string, number>()
  // It does what is requested before it answers, so that a kill hits it before, between and after.
  const shop = await openSystem(t, async (request, reply) => {
    const key = String(request.headers['idempotency-key'])
    if (request.method === 'GET') {
      const asked = decodeURIComponent(request.url!.split('/').at(-1)!)
      return shop.json(reply, {}, done.has(asked) ? 200 : 404)
    }
    await new Promise((resolve) => setTimeout(resolve, random() * 30))
    done.set(key, (done.get(key) ?? 0) + 1)
    await new Promise((resolve) => setTimeout(resolve, random() * 60))
    shop.json(reply, { status: 'cancelled' })
  })
  const env = { AGENTHALL_ALLOWED_HOSTS: shop.host }
  let key = ''
  let conversation = ''
  let action = 0
  const confirmed: string[] = []
  let kills = 0
  for (; kills < cycles(8); kills++) {
    const server = await serve(directory, { env })
    key = server.key ?? key
    const send = client(server.address, key)
    const made = async (url: string, body: object) => (await send('POST', url, body)).body.data as unknown as { id: number }
    if (!action) {
      const connection = (await made('/v1/connections', {
        name: 'Shop', base_url: `http://${shop.host}`, auth: 'bearer', secret: SHOP_KEY
      })).id
      action = (await made('/v1/actions', {
        connection,
        name: 'cancel',
        title: 'Cancelling',
        effect: 'write',
        method: 'POST',
        path: '/cancel',
        confirm: 'person',
        lookup: '/requests/{key}',
        enabled: true,
        limits: { per_conversation: 1000 }
      })).id
      const agent = (await made('/v1/agents', {
        name: 'Ada', systemPrompt: 'You help.', behavior: { actionIds: [action] }
      })).id
      conversation = String((await made(`/v1/agents/${agent}/conversations`, {})).id)
    }
    const before = shop.asked.length
    const confirming = (async () => {
      for (;;) {
        const call = await made(`/v1/conversations/${conversation}/calls`, { action }) as unknown as { id: string, digest: string }
        const { status } = await send('POST', `/v1/conversations/${conversation}/calls/${call.id}/confirm`, { digest: call.digest })
        if (status === 200) confirmed.push(call.id)
      }
    })()
    const ended = Promise.allSettled([confirming])
    while (shop.asked.length === before) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, random() * 100))
    await server.kill()
    await ended
  }
  const server = await serve(directory, { env })
  const send = client(server.address, key)
  const states = async () => {
    const all: Array<{ id: string, state: string }> = []
    for (let cursor = ''; ;) {
      const { body } = await send('GET', `/v1/calls?limit=100${cursor}`)
      const { data, next_cursor: next } = body as unknown as { data: typeof all, next_cursor: string | null }
      all.push(...data)
      if (next === null) return new Map(all.map(({ id, state }) => [id, state]))
      cursor = `&cursor=${next}`
    }
  }
  const isOpen = (state: string) => ['confirmed', 'running', 'unknown'].includes(state)
  while ([...(await states()).values()].some(isOpen)) await new Promise((resolve) => setTimeout(resolve, 200))
  const kept = await states()
  await server.stop()
  t.ok(confirmed.length >= kills / 2, `${confirmed.length} calls were confirmed in ${kills} lives`)
  t.strictSame(confirmed.filter((id) => !['done', 'failed'].includes(kept.get(id)!)), [], 'nothing confirmed is forgotten')
  t.strictSame([...done.values()].filter((times) => times > 1), [], 'each key is counted once')
  const sent = shop.asked.filter(({ line }) => line.startsWith('POST')).map(({ headers }) => headers['idempotency-key'])
  t.equal(new Set(sent).size, sent.length, 'and sent once')
  for (const [id, state] of kept) t.equal(done.has(id), state === 'done', `${id} ${state}`)
})
