import { hash } from 'node:crypto'
import type { Visit } from '../../schema/knowledge.ts'

/** Characters of a key: 72 bits of a hash. */
const KEY = 12
/** The most links that are remembered of a page. */
const MAX_REMEMBERED = 500
/** Stands for links that are not remembered: no address has this key. */
const MORE = '.'.repeat(KEY)

/** A digest of an address: a few bytes, however long it is. */
export function visitKeyOf (address: string): string {
  return hash('sha256', address, 'base64url').slice(0, KEY)
}

/** Links as a visit remembers them. */
export function linkKeys (links: string[]): string {
  return links.slice(0, MAX_REMEMBERED).map(visitKeyOf).join('') + (links.length > MAX_REMEMBERED ? MORE : '')
}

/** What is remembered of an address that led to no page, so that links to it are known the next time. */
export function unread (address: string): Visit {
  return { url: address, etag: null, lastModified: null, contentHash: '', title: null, links: '' }
}

/** Whether something was read there. */
export function wasRead (visit: Visit | undefined): boolean {
  return visit !== undefined && visit.contentHash !== ''
}

/** The addresses that remembered links lead to, by what is known of a site. */
interface Recall {
  /** Those of a page's links that are known, in order, and the keys of the others. */
  links (visit: Visit): { known: string[], unknown: string[] }
}

/** Finds the addresses among those that earlier visits were made to. */
export function recallFrom (visits: ReadonlyMap<string, Visit>): Recall {
  const addresses = new Map<string, string>()
  for (const [address, { url }] of visits) for (const one of [address, url]) addresses.set(visitKeyOf(one), one)
  return {
    links ({ links }) {
      const known: string[] = []
      const unknown: string[] = []
      for (let at = 0; at < links.length; at += KEY) {
        const key = links.slice(at, at + KEY)
        const address = addresses.get(key)
        if (address === undefined) unknown.push(key)
        else known.push(address)
      }
      return { known, unknown }
    }
  }
}
