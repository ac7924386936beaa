import t from 'tap'
import { EXAMPLE_SHOP } from '../../src/actions/example/address.ts'
import { withExampleShop } from '../../src/actions/example/within.ts'
import { talkative } from '../conversations/helper.ts'
import { CANCEL, TRACK } from './helper.ts'

t.test('an agent acts in the example shop, which nobody has to open, and of which no privacy page tells', async (t) => {
  const { me, id, conversation, settled } = await talkative(t, {})
  const connection = (await me.post('/v1/connections', {
    name: 'Example', base_url: EXAMPLE_SHOP, auth: 'bearer', secret: 'mine'
  })).json().data.id
  t.match((await me.post(`/v1/connections/${connection}/test`)).json().data, { ok: true, status: 404 })
  const actionIds = []
  for (const draft of [TRACK, CANCEL]) {
    actionIds.push((await me.post('/v1/actions', { connection, enabled: true, ...draft })).json().data.id)
  }
  await me.put(`/v1/agents/${id}`, { behavior: { actionIds } })
  const at = `/v1/conversations/${conversation}/calls`
  const make = async (action: number, number: string) =>
    (await me.post(at, { action, arguments: { number } })).json().data
  t.match(await make(actionIds[0]!, '1001'), { state: 'done', result: /on its way/ })
  const asked = await make(actionIds[1]!, '1001')
  await me.post(`${at}/${asked.id}/confirm`, { digest: asked.digest })
  await settled()
  t.match(await make(actionIds[0]!, '1001'), { result: /cancelled/ })
  t.match(await make(actionIds[0]!, '1009'), { state: 'failed', status: 404 })
})

t.test('every secret has a shop of its own, of which there are not ever more; anything else goes out', async (t) => {
  const left: string[] = []
  const { fetch } = withExampleShop({
    async fetch (url) {
      left.push(url)
      throw new Error('out')
    }
  })
  const ask = async (secret: string | undefined, path: string, method: 'GET' | 'POST' = 'GET') => {
    const headers: Record<string, string> = secret === undefined ? {} : { authorization: secret }
    const { status, bytes } = await fetch(`${EXAMPLE_SHOP}${path}`, { method, headers, maxBytes: 1000 })
    return [status, JSON.parse(Buffer.from(bytes).toString())]
  }
  t.match(await ask(undefined, '/orders/1001'), [401])
  t.match(await ask('a', '/orders/1001/cancel', 'POST'), [200, { status: 'cancelled' }])
  t.match(await ask('b', '/orders/1001'), [200, { status: 'on its way' }])
  t.match(await ask('a', '/orders/1001'), [200, { status: 'cancelled' }])
  t.match(await ask('a', '/orders/1001/pay', 'POST'), [404, { error: 'No such thing' }])
  for (let i = 0; i < 200; i++) await ask(`c${i}`, '/stock/lamp')
  t.match(await ask('a', '/orders/1001'), [200, { status: 'on its way' }], 'the oldest is gone')
  await ask('a', '/orders/1001/cancel', 'POST')
  for (let i = 0; i < 1000; i++) await ask('a', '/stock/lamp')
  t.match(await ask('a', '/orders/1001'), [200, { status: 'on its way' }], 'its first day anew')
  for (const other of ['https://example-shop.invalid.shop.example/', 'https://shop.example/?example-shop.invalid', 'https://x@shop.example/']) {
    await t.rejects(fetch(other, { maxBytes: 1 }), { message: 'out' })
  }
  t.equal(left.length, 3)
})
