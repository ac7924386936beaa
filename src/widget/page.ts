import type { Page } from '../../schema/conversations.ts'
import { redacted } from '../models/index.ts'

/** Characters that are kept of an address and of a title. */
const [LONGEST_URL, LONGEST_TITLE] = [500, 150]

/**
 * The page that a widget says its visitor is on, as it is kept: of a site that its key names, without query string and
 * fragment, and with what tells who somebody is masked. Null for every other.
 */
export function pageOf (told: { url: string, title?: string }, origins: readonly string[]): Page | null {
  const url = URL.parse(told.url)
  if (!url || !origins.includes(url.origin)) return null
  return {
    url: cut(url.origin + masked(url.pathname), LONGEST_URL),
    title: cut(redacted((told.title ?? '').replaceAll(/[\s\p{C}]+/gu, ' ').trim()), LONGEST_TITLE)
  }
}

/** A path in which nothing tells who somebody is: as it came where nothing had to be masked. */
function masked (path: string): string {
  const read = decoded(path)
  const safe = redacted(read)
  return safe === read ? path : safe.replaceAll(/[\s\p{C}?#]+/gu, ' ')
}

function decoded (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // No text that somebody has encoded.
    return path
  }
}

const cut = (text: string, most: number) => [...text].slice(0, most).join('')
