import { readAddress } from '../platform/net/address.ts'

const MAX_ADDRESS = 2_048
/** The most addresses that are taken from a page or a sitemap, and the most characters that they may have together. */
export const ADDRESS_LIMITS = {
  links: { count: 2_000, chars: 256 * 1024 }, locations: { count: 10_000, chars: 1024 * 1024 }
}
const UNRESERVED = /[\w.~-]/

/**
 * The one spelling of a page's address: without fragment, empty query and default port, escapes evened out. The order
 * of the query, its parameters and a closing slash stay: only the site knows what they mean. Undefined for what is no
 * http(s) address, has a user name or is longer than 2,048 characters.
 */
export function pageAddress (text: string, base?: string): string | undefined {
  const url = readAddress(text, base === undefined ? undefined : new URL(base))
  if (!url) return undefined
  url.hash = ''
  if (!url.search) url.search = ''
  const even = evenEscapes(url.href)
  return even.length > MAX_ADDRESS ? undefined : even
}

/** Percent escapes in one spelling: none for what needs none, capitals for the rest. */
export function evenEscapes (address: string): string {
  return address.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16))
    return UNRESERVED.test(character) ? character : escape.toUpperCase()
  })
}

/**
 * Addresses on the origin of where they were found, each once, until there are enough: a short relative one can resolve
 * to a long one.
 */
export class Addresses {
  readonly #from: string
  readonly #origin: string
  readonly #most: { count: number, chars: number }
  readonly #found = new Set<string>()
  #chars = 0
  isFull = false

  constructor (from: string, most: { count: number, chars: number }) {
    this.#from = from
    this.#origin = new URL(from).origin
    this.#most = most
  }

  get found (): string[] {
    return [...this.#found]
  }

  isOurs (address: string): boolean {
    return new URL(address).origin === this.#origin
  }

  add (text: string, base = this.#from) {
    const address = pageAddress(text, base)
    if (address === undefined || this.#found.has(address) || !this.isOurs(address)) return
    this.isFull = this.#found.size >= this.#most.count || this.#chars + address.length > this.#most.chars
    if (this.isFull) return
    this.#found.add(address)
    this.#chars += address.length
  }
}
