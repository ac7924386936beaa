import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { openShop } from '../src/actions/example/shop.ts'

// node scripts/example-shop.ts [--port 4010]   The built-in shop of every installation, as a server of its own. Its
// OpenAPI document is at /openapi.json, its key is `shop-secret`.

/** The key that it accepts. */
export const SHOP_KEY = 'shop-secret'

const parameter = (name: string, place: string, more: object = {}) => ({
  name, in: place, required: place === 'path', schema: { type: 'string', maxLength: 40, ...more }
})
const answers = { responses: { 200: { description: 'It is so' } } }

/** The example shop's OpenAPI document. */
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
        parameters: [parameter('article', 'path', { enum: ['lamp', 'chair', 'table'] })],
        ...answers
      }
    }
  }
}

/** A shop that remembers its requests. */
export interface ExampleShop {
  server: ReturnType<typeof createServer>
  /** How often something was done for each Idempotency-Key: never more than once, if the other side behaves. */
  done: Map<string, number>
  /** Every request, in order: `POST /orders/1001/cancel`. */
  asked: Array<{ line: string, headers: IncomingMessage['headers'], body: string }>
}

/** Creates it; it does not listen yet. */
export function exampleShop (): ExampleShop {
  const shop = openShop()
  const asked: ExampleShop['asked'] = []

  async function answer (request: IncomingMessage, reply: ServerResponse) {
    const url = new URL(request.url!, 'http://shop.example')
    const body = await text(request)
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    const send = (status: number, data: object) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data))
    if (url.pathname === '/openapi.json') return send(200, SHOP_DOCUMENT)
    if (request.headers.authorization !== `Bearer ${SHOP_KEY}`) return send(401, { error: 'No valid key' })
    const key = request.headers['idempotency-key']
    send(...shop.answer({ method: request.method!, url, key: typeof key === 'string' ? key : undefined, body }))
  }

  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.writeHead(400).end())
  })
  return { server, done: shop.done, asked }
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
