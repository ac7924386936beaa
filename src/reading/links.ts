import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { XMLParser } from 'fast-xml-parser'
import { charsetIn, charsetOf, decode } from './decode.ts'
import { Addresses, ADDRESS_LIMITS, pageAddress } from './page-address.ts'
import { ownProperty } from '../platform/objects.ts'

/** What a crawl needs from a page. */
interface PageReading {
  kind: 'page'
  /** What the page calls itself in the browser's tab. */
  title: string | null
  /** Addresses on the same origin that it links to, in order, each once. Empty where it asks not to be followed. */
  links: string[]
  /** The address that it gives as its own, on the same origin. */
  canonical: string | null
  /**
   * SHA-256, in hex, of all that can change what is read of it: two readings that differ by a nonce in an attribute or
   * a script are the same.
   */
  textHash: string
}

/** What a sitemap lists on its own origin, in order. A sitemap of sitemaps lists `sitemaps`, all others `pages`. */
interface SitemapReading { kind: 'sitemap', pages: string[], sitemaps: string[] }

/** What reading a page or a sitemap yields. */
export type MarkupReading = PageReading | SitemapReading

const MAX_TITLE = 300
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024

/**
 * Reads what was fetched as a page or, where it is XML, as a sitemap, packed or not. Throws an Error on XML that is no
 * sitemap.
 */
export function readMarkup (bytes: Uint8Array, address: string, contentType: string): MarkupReading {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = packed ? gunzipSync(bytes, { maxOutputLength: MAX_SITEMAP_BYTES }) : bytes
  const text = decode(plain, charsetIn(contentType) ?? charsetOf(plain))
  const isPage = /html/i.test(contentType) && !/^\s*(<\?xml[^>]*>\s*)?<(urlset|sitemapindex)\b/.test(text)
  return isPage ? linksOf(text, address) : sitemapOf(text, address)
}

/**
 * Finds a page's links without building its tree: one pass over its tags, time linear in its length, so that neither a
 * million links nor unclosed quotes cost more than their bytes.
 */
export function linksOf (html: string, address: string): PageReading {
  const links = new Addresses(address, ADDRESS_LIMITS.links)
  const reading: PageReading = { kind: 'page', title: null, links: [], canonical: null, textHash: '' }
  let base: string | undefined
  let nofollow = false
  const inside = (href: string | undefined) => {
    const target = href === undefined ? undefined : pageAddress(href, base ?? address)
    return target !== undefined && links.isOurs(target) ? target : undefined
  }
  const shown: string[] = []
  for (const { before, name, attributes, text } of tagsOf(html)) {
    shown.push(plainText(before), name)
    for (const look of LOOKS) if (attributes.has(look)) shown.push(look, attributes.get(look) ?? '')
    if (SHOWN.test(name)) shown.push(plainText(text))
    const href = attributes.get('href')
    const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (name === 'title') reading.title ??= plain(text).slice(0, MAX_TITLE) || null
    else if (name === 'meta') nofollow ||= asksNotToFollow(attributes)
    else if (name === 'base') base ??= pageAddress(href ?? '', address)
    else if (name === 'link' && relations.includes('canonical')) reading.canonical ??= inside(href) ?? null
    else if (LINKS.test(name) && !links.isFull && href !== undefined && !relations.includes('nofollow')) {
      links.add(href, base)
    }
  }
  return {
    ...reading,
    links: nofollow ? [] : links.found,
    textHash: createHash('sha256').update(shown.join('\n')).digest('hex')
  }
}

function asksNotToFollow (meta: Map<string, string>): boolean {
  return /^(robots|agenthall)$/i.test(meta.get('name') ?? '') && /\b(nofollow|none)\b/i.test(meta.get('content') ?? '')
}

/** Reads a sitemap's addresses. Throws an Error where the XML is no sitemap. Entities of its own are never expanded. */
export function sitemapOf (xml: string, address: string): SitemapReading {
  const parser = new XMLParser({
    processEntities: false,
    parseTagValue: false,
    removeNSPrefix: true,
    isArray: (name) => name === 'url' || name === 'sitemap'
  })
  const { urlset, sitemapindex } = parser.parse(xml)
  if (urlset === undefined && sitemapindex === undefined) throw new Error('This XML is not a sitemap.')
  const locations = (entries: Array<{ loc?: unknown }> = []) => {
    const listed = new Addresses(address, ADDRESS_LIMITS.locations)
    for (const { loc } of entries) {
      if (listed.isFull) break
      if (typeof loc === 'string') listed.add(decodeEntities(loc))
    }
    return listed.found
  }
  return { kind: 'sitemap', pages: locations(urlset?.url), sitemaps: locations(sitemapindex?.sitemap) }
}

/**
 * A tag, the markup before it that is none, and the text in it where it holds nothing but text. The last one has no
 * name.
 */
interface Tag { before: string, name: string, attributes: Map<string, string>, text: string }

const LINKS = /^(a|area)$/
/** Attributes that decide whether an element is seen. */
const LOOKS = ['class', 'style', 'hidden', 'aria-hidden', 'role']
/** Elements of mere text that is shown, or says what is. */
const SHOWN = /^(style|title|xmp)$/
/** Elements whose content is text, whatever it looks like. */
const RAW = /^(script|style|textarea|title|template|xmp|iframe|noembed|noframes)$/

/** The tags, in order. Whatever is opened and never closed ends the search, which keeps it linear. */
function * tagsOf (html: string): Generator<Tag> {
  const opening = /<(?:!--|([a-z][^\s/>]*))/gi
  let last = 0
  for (let match = opening.exec(html); match; match = opening.exec(html)) {
    const name = match[1]?.toLowerCase()
    const before = html.slice(last, match.index)
    if (name === undefined) {
      last = opening.lastIndex = after(html, '-->', opening.lastIndex)
      yield { before, name: '', attributes: new Map(), text: '' }
      continue
    }
    const attributes = new Map<string, string>()
    const start = readAttributes(html, opening.lastIndex, attributes)
    const end = RAW.test(name) ? closing(html, name, start) : start
    yield { before, name, attributes, text: html.slice(start, end) }
    last = opening.lastIndex = end
  }
  yield { before: html.slice(last), name: '', attributes: new Map(), text: '' }
}

/** Reads the attributes that begin at `from` and returns where the tag ends. */
function readAttributes (html: string, from: number, attributes: Map<string, string>): number {
  const attribute = /[\s/]*([^\s/>][^\s/>=]*)\s*(=?)\s*/y
  const bare = /[^\s>]*/y
  let at = from
  for (;;) {
    attribute.lastIndex = at
    const match = attribute.exec(html)
    if (!match) return after(html, '>', at)
    const [, name = '', equals] = match
    at = attribute.lastIndex
    let value = ''
    const quote = html[at]
    if (equals && (quote === '"' || quote === "'")) {
      const end = after(html, quote, at + 1)
      value = html.slice(at + 1, end - 1)
      at = end
    } else if (equals) {
      bare.lastIndex = at
      value = bare.exec(html)?.[0] ?? ''
      at += value.length
    }
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, decodeEntities(value).trim())
  }
}

function after (html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}

function closing (html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Undoes the escapes that addresses and titles use; other names stay as they are. */
function decodeEntities (text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name) return ownProperty(ENTITIES, name) ?? whole
    const point = decimal ? Number(decimal) : parseInt(hex, 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}

/** Markup without its closing tags, in one spelling of its spaces. */
function plainText (markup: string): string {
  return markup && markup.replace(/<\/[^>]*>?/g, ' ').replace(/\s+/g, ' ').trim()
}

function plain (html: string): string {
  return decodeEntities(html).replace(/\s+/g, ' ').trim()
}
