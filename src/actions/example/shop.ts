import { ownProperty } from '../../platform/objects.ts'

/*
 * A shop to try actions with: orders, returns, stock. Changes are applied once for each Idempotency-Key, and
 * /requests/{key} tells whether one was.
 */

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

/** A shop's request and response. */
interface ShopRequest { method: string, url: URL, key: string | undefined, body: string }
type ShopAnswer = [status: number, data: object]

/** A shop that remembers what it was asked. */
export interface Shop {
  answer (request: ShopRequest): ShopAnswer
  /** How often something was done for each Idempotency-Key: never more than once, if the key is honoured. */
  done: Map<string, number>
}

/** Opens it, with everything in it as on its first day. */
export function openShop (): Shop {
  const orders = ORDERS.map((order) => ({ ...order }))
  const done = new Map<string, number>()
  const kept = new Map<string, ShopAnswer>()

  function answerTo (method: string, url: URL, body: Record<string, unknown>): ShopAnswer {
    const [, kind, id = '', verb] = url.pathname.split('/')
    const order = orders.find(({ number }) => number === (kind === 'returns' ? body['order'] : id))
    if (kind === 'requests') return kept.get(decodeURIComponent(id)) ?? [404, { error: 'No such request' }]
    if (kind === 'stock' && method === 'GET') {
      const pieces = ownProperty(STOCK, id)
      return pieces === undefined ? [404, { error: 'No such article' }] : [200, { article: id, pieces }]
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

  return {
    done,
    answer ({ method, url, key, body }) {
      const known = key === undefined ? undefined : kept.get(key)
      if (known) return known
      const made = answerTo(method, url, body ? JSON.parse(body) : {})
      if (key !== undefined && made[0] < 300) {
        done.set(key, (done.get(key) ?? 0) + 1)
        kept.set(key, made)
      }
      return made
    }
  }
}
