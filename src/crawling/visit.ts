import { hash } from 'node:crypto'
import type { Visit } from '../../schema/knowledge.ts'

/** Characters of a key: 72 bits of a hash. */
const KEY = 12
/** Maximum links remembered of a page. */
const MAX_REMEMBERED = 500
/** Marks links that are not remembered: no address has this key. */
const MORE = '.'.repeat(KEY)

/** A digest of an address: a few bytes, however long it is. */
export function visitKeyOf (address: string): string {
  return hash('sha256', address, 'base64url').slice(0, KEY)
}

/** Marks the patterns used for links, where those are remembered: no address has such a key. */
export function patternsKeyOf (patterns: string): string {
  return `.${visitKeyOf(patterns).slice(1)}`
}

/** Links as a visit remembers them, after the key of the patterns used for them. */
export function linkKeys (links: string[], patterns: string): string {
  const keys = links.slice(0, MAX_REMEMBERED).map(visitKeyOf).join('')
  return patterns + keys + (links.length > MAX_REMEMBERED ? MORE : '')
}

/** The key of the patterns used for a visit's links; empty if all were taken. */
export function patternsIn ({ links }: Visit): string {
  return links.startsWith('.') ? links.slice(0, KEY) : ''
}

/** What is remembered of an address that led to no page, so that links to it are known the next time. */
export function unread (address: string): Visit {
  return { url: address, etag: null, lastModified: null, contentHash: '', title: null, links: '' }
}

/** Whether something was read there. */
export function wasRead (visit: Visit | undefined): boolean {
  return visit !== undefined && visit.contentHash !== ''
}

/** The addresses of remembered links, as far as the site is known. */
interface Recall {
  /** The known ones of a page's links, in order, and the keys of the others. */
  links (visit: Visit): { known: string[], unknown: string[] }
}

/** Finds the addresses among those of earlier visits. */
export function recallFrom (visits: ReadonlyMap<string, Visit>): Recall {
  const addresses = new Map<string, string>()
  for (const [address, { url }] of visits) for (const one of [address, url]) addresses.set(visitKeyOf(one), one)
  return {
    links (visit) {
      const { links } = visit
      const known: string[] = []
      const unknown: string[] = []
      for (let at = patternsIn(visit).length; at < links.length; at += KEY) {
        const key = links.slice(at, at + KEY)
        const address = addresses.get(key)
        if (address === undefined) unknown.push(key)
        else known.push(address)
      }
      return { known, unknown }
    }
  }
}
