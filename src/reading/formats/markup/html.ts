import { parseHTML } from 'linkedom'
import type { Document } from '../../document.ts'
import { isVoid, pieces, textWithin, type Node } from './dom.ts'
import { Draft } from '../../draft.ts'
import { ExtractError } from '../../error.ts'
import { tidied } from './furniture.ts'
import { removeHidden } from './hidden.ts'
import { addTable } from './table.ts'

/** Characters of HTML one document may have: its tree takes some 75 times that in memory. */
const MAX_HTML = 4 * 2 ** 20
/** What holds more than this share of a page's text is the page itself. */
const MAIN_SHARE = 0.5

/**
 * An HTML document, whole but for its menus: a file and a fetched page alike, so that both teach the same. Throws
 * `too_large` above 4 MiB, `no_text` when nothing but code is in it.
 */
export function readHtml (text: string): Document {
  const draft = new Draft('html')
  const document = parse(text)
  draft.hide(removeHidden(document))
  draft.title = titleOf(document)
  removeMenus(document)
  removeCookieBanners(document)
  tidied(document)
  addHtml(draft, document)
  return draft.finish(
    'The page holds no text of its own. What a browser shows of it is made by scripts, which are not run.'
  )
}

/**
 * Takes menus and search fields out of a page that says anything else: they name pages, and answer nothing. A page that
 * is all menu keeps it, and a manual its table of contents, whose links lead to its own headings.
 */
function removeMenus (document: Node) {
  const all = length(document)
  if (all === 0) return
  // A page of results may be all in one.
  for (const search of [...document.querySelectorAll('search, [role="search"]')].slice(0, MOST_SEARCHES)) {
    if (length(search) <= all * MAIN_SHARE) search.remove()
  }
  for (const menu of [...document.querySelectorAll('nav, [role="navigation"]')]) {
    const links = menu.getElementsByTagName('a').map((link) => link.getAttribute('href') ?? '')
    if (links.length === 0 || links.some((link) => !link.startsWith('#'))) menu.remove()
  }
}

/** How many search fields of a page are looked at. */
const MOST_SEARCHES = 10

/** What asks whether cookies may be set: a dialog that speaks of them, or what is named so, as `cookie-banner`. */
const COOKIES = /cookie|consent|gdpr|dsgvo|rgpd/i
const COOKIE_BANNER =
  /(?:cookie|consent|gdpr|dsgvo|rgpd)s?[-_ ]?(?:banner|bar|notice|consent|pop-?up|modal|overlay|law|dialog|message|hint|box|alert)/i
/** Characters of the longest; what is longer, or more than `MAIN_SHARE` of the text, may be the page itself. */
const LONGEST_BANNER = 4000

/** Takes out what lies over a page and asks whether cookies may be set. */
function removeCookieBanners (document: Node) {
  const names = '[id*="cookie" i], [class*="cookie" i], [id*="consent" i], [class*="consent" i]'
  const banners = [...document.querySelectorAll(`dialog, [role="dialog"], [role="alertdialog"], ${names}`)].filter((one) => {
    const isDialog = one.localName === 'dialog' || /dialog$/.test(one.getAttribute('role') ?? '')
    const name = `${one.getAttribute('id') ?? ''} ${one.getAttribute('class') ?? ''}`
    const asks = COOKIE_BANNER.test(name) || (isDialog && COOKIES.test(one.textContent ?? ''))
    return asks && !/^(?:html|body|main|article)$/.test(one.localName ?? '')
  })
  // Few pages have one, and measuring them takes a walk over all of it.
  if (banners.length === 0) return
  const most = Math.min(LONGEST_BANNER, length(document) * MAIN_SHARE)
  for (const one of banners) if (length(one) <= most) one.remove()
}

/** Parses HTML or XHTML, however broken. Throws `too_large`. */
export function parse (text: string): Node {
  if (text.length > MAX_HTML) {
    throw new ExtractError('too_large', 'The HTML is larger than 4 MiB. Split it and upload the parts.')
  }
  return dom(/^\s*<\?xml/.test(text) ? closed(text) : text).documentElement
}

/** HTML knows no self-closing elements: an XHTML `<title/>` would swallow the page. */
function closed (xhtml: string): string {
  return xhtml.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (tag, name: string, rest: string) =>
    isVoid(name) ? tag : `<${name}${rest}></${name}>`
  )
}

/** A parsed page, as far as it is read here. */
interface Parsed { documentElement: Node, querySelectorAll (selector: string): Iterable<Node> }

// The parser makes no body of its own and stops after a first element that is none; a page inside a page does no harm.
function dom (html: string): Parsed {
  const document = parseHTML(`<html><body>${html}</body></html>`).document as unknown as Parsed
  for (const element of document.querySelectorAll('*')) nameAsBrowsersDo(element)
  return document
}

/** To a browser `STYLE` is `style`, and the first of two counts; the parser keeps names as they are written. */
function nameAsBrowsersDo (element: Node) {
  const written = element.getAttributeNames()
  if (written.every((name) => name === name.toLowerCase())) return
  const values = new Map<string, string>()
  for (const name of written) {
    const usual = name.toLowerCase()
    if (!values.has(usual)) values.set(usual, element.getAttribute(name) ?? '')
    element.removeAttribute(name)
  }
  for (const [name, value] of values) element.setAttribute(name, value)
}

/** The page's own title, else its first large heading. */
export function titleOf (document: Node): string | null {
  const element = document.getElementsByTagName('title')[0] ?? document.getElementsByTagName('h1')[0]
  return element ? textWithin(element) : null
}

/** Adds what a browser would show, in order: headings, paragraphs, whole lists, table rows. */
export function addHtml (draft: Draft, root: Node) {
  for (const piece of pieces(root)) {
    if ('table' in piece) addTable(draft, piece.table)
    else if ('isFooter' in piece) draft.leave(1)
    else if ('isBeside' in piece) draft.beside(piece.isBeside)
    else if (piece.level) draft.heading(piece.level, piece.text)
    else draft.add(piece.text)
  }
}

/** Text with its entities (`&amp;`) resolved. */
export function unescaped (text: string): string {
  return dom(text.replaceAll('<', '&lt;')).documentElement.textContent ?? ''
}

/** The text of a piece of HTML. */
export function textOfHtml (html: string): string {
  return textWithin(parse(html))
}

/** Characters of a page besides its menus and footers. */
function length (root: Node): number {
  let chars = 0
  for (const piece of pieces(root, true)) {
    if ('text' in piece) chars += piece.text.length
    else if ('table' in piece) chars += textWithin(piece.table).length
  }
  return chars
}
