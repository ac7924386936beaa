import { readAddress } from '../platform/net/address.ts'

const MAX_ADDRESS = 2_048
const UNRESERVED = /[\w.~-]/

/**
 * The one spelling of a page's address: without fragment, empty query and default port, escapes evened out. The order of
 * the query, its parameters and a closing slash stay: only the site knows what they mean. Undefined for what is no http(s)
 * address, has a user name or is longer than 2,048 characters.
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
