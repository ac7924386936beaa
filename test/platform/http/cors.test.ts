import Fastify from 'fastify'
import t from 'tap'
import { cors } from '../../../src/platform/http/cors.ts'
import { build, routesOf } from '../../helper.ts'

const headersOf = (headers: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }
const PREFLIGHT = {
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id',
  'access-control-max-age': '600'
}

/** Where an assistant that runs in a page requests access: by its request's content, and not by a cookie. */
const OAUTH = /^[A-Z]+ \/(?:\.well-known\/oauth-|oauth\/(?:token|revoke)$)/
const OPEN_TO_ALL = /^\/(?:openapi\.json$|\.well-known\/oauth-|oauth\/(?:token|revoke)$)/

t.test('no route but the API document, the widget\'s files and those of OAuth may be called by pages of every site', async (t) => {
  const { app, user } = await build(t)
  const as = await user()
  const open: string[] = []
  for (const { method, url } of await routesOf(app)) {
    for (const origin of ['https://evil.example', 'null', 'http://localhost', 'http://127.0.0.1:8080']) {
      const { headers } = await app.inject({
        method,
        url: url.replaceAll(/:\w+/g, '1'),
        headers: { origin, authorization: `Bearer ${as.key}`, 'last-event-id': 'x' }
      })
      const told = headersOf(headers)
      // Where a browser is redirected, the response depends on what it accepts.
      if (url === '/') delete told.vary
      // And a script is compressed as the browser accepts it.
      if (url === '/console/sw.js' && told.vary === 'accept-encoding') delete told.vary
      // Widget routes are open to the sites that their keys name, and there are none here; their scripts are files that
      // anybody may load.
      if (url.startsWith('/v1/widget/')) {
        t.strictSame([told['access-control-allow-origin'], told.vary], [undefined, 'origin'])
      }
      if (/^\/(v1\/)?widget|^\/chat\//.test(url)) continue
      if (Object.keys(told).length) open.push(`${method} ${url} ${origin} ${told['access-control-allow-origin']}`)
      const preflight = await app.inject({
        method: 'OPTIONS',
        url: url.replaceAll(/:\w+/g, '1'),
        headers: { origin, 'access-control-request-method': method }
      })
      if (!OPEN_TO_ALL.test(url)) t.strictSame([preflight.statusCode, headersOf(preflight.headers)], [405, {}], url)
    }
  }
  t.strictSame([...new Set(open.map((one) => one.replace(/ \S+ \*$/, '')))].filter((one) => !OAUTH.test(one)).sort(), [
    'GET /openapi.json', 'HEAD /openapi.json', 'OPTIONS /openapi.json'
  ])
  const { statusCode, headers } = await app.inject({
    method: 'OPTIONS',
    url: '/openapi.json',
    headers: { origin: 'https://x.example' }
  })
  t.strictSame(
    [statusCode, headersOf(headers), headers.allow],
    [204, { ...OPEN, ...PREFLIGHT, 'access-control-allow-methods': 'GET, HEAD' }, 'GET, HEAD, OPTIONS']
  )
  t.strictSame(headersOf((await app.inject('/openapi.json')).headers), {}, 'nothing is said to who is no page')
})

t.test('a route may be open to some origins; its refusals can be read there too, and no other origin is told anything', async (t) => {
  const app = Fastify()
  await app.register(cors)
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'OPTIONS' && !request.headers.authorization) throw new Error('who is it?')
  })
  const open = { cors: async (origin: string) => origin === 'https://shop.example', permit: 'anyone' as const }
  app.get('/chat', { config: open }, async () => 'x')
  app.post('/chat', { config: open }, async () => 'x')
  const ask = async (method: 'GET' | 'OPTIONS', origin?: string, authorization = '') => {
    const { statusCode, headers } = await app.inject({
      method, url: '/chat', headers: { ...(origin && { origin }), ...(authorization && { authorization }) }
    })
    return [statusCode, headersOf(headers)]
  }
  const shop = {
    vary: 'origin',
    'access-control-allow-origin': 'https://shop.example',
    'access-control-expose-headers': '*'
  }
  t.strictSame(await ask('GET', 'https://shop.example', 'Bearer x'), [200, shop])
  t.strictSame(await ask('GET', 'https://shop.example'), [500, shop])
  t.strictSame(await ask('OPTIONS', 'https://shop.example'), [
    204, { ...shop, ...PREFLIGHT, 'access-control-allow-methods': 'GET, HEAD, POST' }
  ])
  for (const origin of [
    undefined,
    'https://shop.example.evil',
    'https://shop.example:444',
    'http://shop.example',
    'null'
  ]) {
    t.strictSame(await ask('GET', origin, 'Bearer x'), [200, { vary: 'origin' }], String(origin))
  }
})

t.test(
  'an open route whose origins cannot be looked up answers with its error, and to nobody in particular',
  async (t) => {
    const app = Fastify()
    await app.register(cors)
    app.get(
      '/chat',
      {
        config: {
          permit: 'anyone',
          cors: async () => {
            throw new Error('no store')
          }
        }
      },
      async () => 'x'
    )
    const { statusCode, headers } = await app.inject({ url: '/chat', headers: { origin: 'https://shop.example' } })
    t.strictSame([statusCode, headersOf(headers)], [500, { vary: 'origin' }])
  }
)
