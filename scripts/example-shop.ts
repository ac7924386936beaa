import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

// node scripts/example-shop.ts [--port 4010]   A shop to try actions with: orders, returns, stock. Its OpenAPI document
// is at /openapi.json, its key is `shop-secret`. What it is asked to change is changed once for each Idempotency-Key,
// and /requests/{key} tells whether that was done.

/** The key that it takes. */
export const SHOP_KEY = 'shop-secret'

interface Order { number: string, customer: string, email: string, status: string, eta: string, items: string[] }

const ORDERS: Order[] = [
  {
    number: '1001', customer: 'c-7', email: 'ada@example.com', status: 'on its way', eta: '2026-12-01', items: ['Lamp Aurora']
  },
  {
    number: '1002', customer: 'c-7', email: 'ada@example.com', status: 'being packed', eta: '2026-12-03', items: ['Chair Fjord', 'Cushion']
  },
  { number: '1003', customer: 'c-8', email: 'bob@example.com', status: 'delivered', eta: '2026-11-20', items: ['Table Alba'] }
]
const STOCK: Record<string, number> = { lamp: 12, chair: 0, table: 3 }

const parameter = (name: string, place: string, more: object = {}) => ({
  name, in: place, required: place === 'path', schema: { type: 'string', maxLength: 40, ...more }
})
const answers = { responses: { 200: { description: 'It is so' } } }

/** What it says of itself. */
export const SHOP_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Example shop', version: '1' },
  paths: {
    '/orders/{number}': {
      get: {
        operationId: 'trackOrder',
        summary: 'Looking up your order',
        description: 'The visitor asks where an order is, or what is in it.',
        parameters: [parameter('number', 'path', { pattern: '^\\d{4}$' }), parameter('customer', 'query')],
        ...answers
      }
    },
    '/orders/{number}/cancel': {
      post: {
        operationId: 'cancelOrder',
        summary: 'Cancelling your order',
        description: 'The visitor wants to cancel an order that is not delivered yet.',
        parameters: [parameter('number', 'path', { pattern: '^\\d{4}$' })],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { reason: { type: 'string', enum: ['changed_mind', 'too_late', 'other'] } },
                required: ['reason']
              }
            }
          }
        },
        ...answers
      }
    },
    '/returns': {
      post: {
        operationId: 'startReturn',
        summary: 'Starting your return',
        description: 'The visitor wants to send something back.',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { order: { type: 'string' }, reason: { type: 'string', maxLength: 200 } },
                required: ['order']
              }
            }
          }
        },
        ...answers
      }
    },
    '/stock/{article}': {
      get: {
        operationId: 'checkStock',
        summary: 'Checking our stock',
        description: 'The visitor asks whether something is available.',
        parameters: [parameter('article', 'path', { enum: Object.keys(STOCK) })],
        ...answers
      }
    }
  }
}

/** A shop that remembers what it was asked. */
export interface ExampleShop {
  server: ReturnType<typeof createServer>
  /** How often something was done for each Idempotency-Key: never more than once, if the other side keeps to it. */
  done: Map<string, number>
  /** Every request in its order: `POST /orders/1001/cancel`. */
  asked: Array<{ line: string, headers: IncomingMessage['headers'], body: string }>
}

/** Opens it; it listens nowhere yet. */
export function exampleShop (): ExampleShop {
  const orders = ORDERS.map((order) => ({ ...order }))
  const done = new Map<string, number>()
  const kept = new Map<string, [number, object]>()
  const asked: ExampleShop['asked'] = []

  function answerTo (method: string, url: URL, body: Record<string, unknown>): [number, object] {
    const [, kind, id = '', verb] = url.pathname.split('/')
    const order = orders.find(({ number }) => number === (kind === 'returns' ? body['order'] : id))
    if (kind === 'requests') return kept.get(decodeURIComponent(id)) ?? [404, { error: 'No such request' }]
    if (kind === 'stock' && method === 'GET') {
      return id in STOCK ? [200, { article: id, pieces: STOCK[id] }] : [404, { error: 'No such article' }]
    }
    const customer = url.searchParams.get('customer')
    if (!order || (customer !== null && customer !== order.customer)) return [404, { error: 'No such order' }]
    if (kind === 'orders' && method === 'GET') return [200, { ...order }]
    if (kind === 'orders' && verb === 'cancel' && method === 'POST') {
      if (order.status === 'delivered') return [409, { error: 'It was delivered already' }]
      order.status = 'cancelled'
      return [200, { number: order.number, status: order.status }]
    }
    if (kind === 'returns' && method === 'POST') return [201, { return: `R-${order.number}`, status: 'announced' }]
    return [404, { error: 'No such thing' }]
  }

  async function answer (request: IncomingMessage, reply: ServerResponse) {
    const url = new URL(request.url!, 'http://shop.example')
    const body = await text(request)
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    const send = (status: number, data: object) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data))
    if (url.pathname === '/openapi.json') return send(200, SHOP_DOCUMENT)
    if (request.headers.authorization !== `Bearer ${SHOP_KEY}`) return send(401, { error: 'No valid key' })
    const key = request.headers['idempotency-key']
    const known = typeof key === 'string' ? kept.get(key) : undefined
    if (known) return send(...known)
    const made = answerTo(request.method!, url, body ? JSON.parse(body) : {})
    if (typeof key === 'string' && made[0] < 300) {
      done.set(key, (done.get(key) ?? 0) + 1)
      kept.set(key, made)
    }
    send(...made)
  }

  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.writeHead(400).end())
  })
  return { server, done, asked }
}

/* c8 ignore next 8 -- run by hand, as docs/actions.md says; tests open the shop itself. */
if (import.meta.main) {
  const { values: { port } } = parseArgs({ options: { port: { type: 'string', default: '4010' } } })
  const { server } = exampleShop()
  server.listen(Number(port), '127.0.0.1', () => {
    const { port: listening } = server.address() as AddressInfo
    console.log(`A shop to try actions with: http://127.0.0.1:${listening}, document at /openapi.json, key ${SHOP_KEY}`)
  })
}
