import type { Egress, FetchedBytes } from '../../platform/net/egress.ts'
import { EXAMPLE_SHOP } from './address.ts'
import { openShop, type Shop } from './shop.ts'

const HOST = new URL(EXAMPLE_SHOP).host
/** Maximum open shops, and requests to one until it resets to its first day. */
const [MOST_SHOPS, MOST_ASKED] = [200, 1000]

/**
 * An egress with the example shop in front: the shop answers requests to its address, everything else goes out. Each
 * secret gets a shop of its own, until the server ends.
 */
export function withExampleShop (out: Pick<Egress, 'fetch'>): Pick<Egress, 'fetch'> {
  const shops = new Map<string, Shop & { asked: number }>()

  function shopOf (secret: string) {
    const known = shops.get(secret)
    if (known && known.asked < MOST_ASKED) return known
    if (!known && shops.size >= MOST_SHOPS) shops.delete(shops.keys().next().value!)
    const opened = { ...openShop(), asked: 0 }
    shops.set(secret, opened)
    return opened
  }

  return {
    async fetch (address, request) {
      const url = URL.parse(address)
      if (url?.host !== HOST) return await out.fetch(address, request)
      const { method = 'GET', headers = {}, body = '' } = request
      const secret = headers['authorization']
      const shop = shopOf(secret ?? '')
      shop.asked++
      const [status, data] = secret === undefined
        ? [401, { error: 'No valid key' }] as const
        : shop.answer({ method, url, key: headers['idempotency-key'], body: String(body) })
      return answered(address, status, data)
    }
  }
}

function answered (url: string, status: number, data: object): FetchedBytes {
  const contentType = 'application/json'
  return {
    url, status, headers: { 'content-type': contentType }, contentType, location: null, bytes: Buffer.from(JSON.stringify(data))
  }
}
