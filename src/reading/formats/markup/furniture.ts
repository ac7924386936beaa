import { BESIDE, type Node, steps } from './dom.ts'

/*
 * What is around a page's text: menus and footers that are no `nav` and no `footer`, as pages made of plain elements
 * have them, and sidebars. An answer that quotes a section would end with them. Only what is made of links is left out:
 * whatever says anything is kept, though not as text of the section beside it.
 */

/** Elements that menus are made of, those that stand beside a text, and those that are lists or tables of their own. */
const MENUS = new Set('ul ol menu div header section p center td aside footer'.split(' '))
const BOXES = new Set('div section aside td'.split(' '))
const LISTS = new Set('ul ol dl menu table tbody tr'.split(' '))
const HEADING = /^h[1-6]$/
/** A menu has at least this many links, hardly anything besides, and short ones. */
const [MENU_LINKS, MENU_SHARE, LONGEST_LABEL] = [3, 0.9, 30]
/** A footer has at least this many links, which are this share of it; and no more characters than this. */
const [FOOTER_LINKS, FOOTER_SHARE, LONGEST_FOOTER] = [2, 0.25, 800]
/** How many footers are looked for, one above the other, among how many elements: a page may nest deeply. */
const [MOST_FOOTERS, MOST_LAST] = [4, 40]
/** What may stand between two links of a menu. */
const BETWEEN_LINKS = /^[\s|·•/»>]*$/
const TEXT_NODE = 3
/** What stands in a paragraph; anything else begins one of its own. */
const INLINE = new Set('a abbr b cite code em i img kbd label mark q small span strong sub sup u'.split(' '))
/** What stands around a text is at most this share of the page; how many footers are looked at, with how many links. */
const [MOST_AROUND, MOST_BARE, MOST_LINKS] = [0.5, 10, 100]
/** What a footer says of nobody. */
const OF_NOBODY = /©|\(c\)|copyright|all rights reserved|(?<!\d)\d{4}(?!\d)|[\s|·•,.:–—-]/gi
/** What a sidebar is called. */
const SIDEBAR_NAME = /(?:^|[-_\s])(?:side[-_]?(?:bar|nav|menu|col(?:umn)?)|widget[-_]area)(?:$|[-_\s])/i
/** Where an `aside` is part of the text, as a tip in an article. */
const TEXTS = new Set(['main', 'article'])
/** What a footer is called, and what its last line says. */
const FOOTER_NAME = /(?:^|[-_\s])(?:\p{L}{2,9}[-_]?)?(?:foot|footer|colophon)(?:$|[-_\s])/iu
const COPYRIGHT = /©|\(c\)\s?\d{4}|copyright/i
/** How prose ends. */
const SENTENCE_END = /[.!?。！？…]["'”’»)\]]*\s*$/

/** An element with what it holds, and how much of the page's text lies before and up to its end. */
interface Told {
  node: Node
  name: string
  chars: number
  links: number
  linked: number
  from: number
  to: number
  /** How many headings were met when it began, and when it ended. */
  above: number
  within: number
  /** Whether it is called a sidebar or is one, and the outermost sidebar or footer that it is or is in. */
  isBeside: boolean
  around: Told | undefined
}

/**
 * Marks a page's footers and sidebars as such, and takes out the menus in these, above its first heading and, on a page
 * without one, where it begins; all only beside other text.
 */
export function tidied (root: Node) {
  const { all, chars, headings, lastHeadingTo } = measured(root)
  const isFirst = ({ from, within }: Told) => headings === 0 ? from === 0 : within === 0
  // A page may be called by the sidebar that it has.
  const isAround = (one: Told | undefined) => one !== undefined && one.chars <= chars * MOST_AROUND
  const menus = all.filter((one) =>
    isAround(one.around) ? isMenu(one) || isAllLinks(one) : isFirst(one) && isMenu(one))
  for (const one of all) if (one.isBeside && isAround(one)) one.node.setAttribute('role', BESIDE)
  const bare = all.filter((one) => one.name === 'footer' && isAround(one) && one.chars <= LONGEST_FOOTER)
  for (const { node } of bare.slice(0, MOST_BARE)) if (saysNothing(node)) node.remove()
  const isAll = menus.every(({ from, to }) => from === 0 && to === chars)
  if (!(menus.length > 0 && isAll)) for (const { node } of menus) node.remove()
  const rows = rowsOfLinks(all.filter(({ name, within }) => name === 'a' && within === 0))
    .filter(([first]) => headings > 0 || first!.from === 0)
  // With the lines between them.
  const inRows = rows.flat().reduce((sum, one) => sum + one.chars + 2, 0)
  if (inRows < chars) for (const row of rows) removeRow(row)
  let end = chars
  for (let left = MOST_FOOTERS; left > 0; left--) {
    // It ends where the page does, and began below the last heading and some text of it; the outermost is first.
    const last = all.filter(({ from, to, above }) => to === end && from > lastHeadingTo && above === headings)
    const footer = last.slice(0, MOST_LAST).find(isFooter)
    if (!footer) return
    footer.node.setAttribute('role', 'contentinfo')
    end = footer.from
  }
}

/** Those of a page's first links that stand in rows, as a menu without an element of its own. */
function rowsOfLinks (links: readonly Told[]): Told[][] {
  const taken: Told[][] = []
  let row: Told[] = []
  for (const [at, one] of links.entries()) {
    const { before, after } = besideLink(one.node)
    if (row.length === 0 && !before.isEdge) continue
    row.push(one)
    if (after.node !== null && after.node === links[at + 1]?.node) continue
    const linked = row.reduce((sum, { chars }) => sum + chars, 0)
    if (after.isEdge && row.length >= MENU_LINKS && linked <= LONGEST_LABEL * row.length) taken.push(row)
    row = []
  }
  return taken
}

/** Takes a row of links out, with the lines between them. */
function removeRow (row: readonly Told[]) {
  for (const { node } of row) {
    const { nextSibling: behind } = node
    if (behind?.nodeType === TEXT_NODE && BETWEEN_LINKS.test(behind.data)) behind.remove()
    node.remove()
  }
}

/** What stands before and behind a link, besides lines between links; an edge is where its paragraph begins or ends. */
function besideLink (link: Node) {
  const look = (next: (node: Node) => Node | null) => {
    let node = next(link)
    while (node !== null && (node.localName === 'br' || (node.nodeType === TEXT_NODE && BETWEEN_LINKS.test(node.data)))) {
      node = next(node)
    }
    return { node, isEdge: node === null || (node.nodeType !== TEXT_NODE && !INLINE.has(node.localName ?? '')) }
  }
  return { before: look((node) => node.previousSibling), after: look((node) => node.nextSibling) }
}

/** The elements of a page in the order in which they begin, measured in one walk. */
function measured (root: Node) {
  const all: Told[] = []
  const open: Told[] = []
  let [chars, headings, lastHeadingTo, link, texts] = [0, 0, 0, 0, 0]
  const hasText = [...root.querySelectorAll([...TEXTS].join())].length > 0
  const isElsewhere = (node: Node) => !(node.getAttribute('href') ?? '#').startsWith('#')
  for (const { text, table, open: opened, close, node } of steps(root, false)) {
    const more = (text ?? table?.textContent ?? '').replaceAll(/\s+/g, '').length
    chars += more
    if (link > 0 && open.length > 0) open.at(-1)!.linked += more
    if (opened !== undefined) {
      const counted = { chars: 0, links: 0, linked: 0, to: 0, within: 0 }
      const isBeside = (hasText && texts === 0 && opened === 'aside') || (BOXES.has(opened) && isNamed(node!, SIDEBAR_NAME))
      const one: Told = {
        node: node!, name: opened, ...counted, from: chars, above: headings, isBeside, around: open.at(-1)?.around
      }
      if (isBeside || opened === 'footer') one.around ??= one
      if (TEXTS.has(opened)) texts++
      if (opened === 'a' && isElsewhere(node!)) link += one.links = 1
      if (HEADING.test(opened)) headings++
      all.push(one)
      open.push(one)
    }
    if (close === undefined) continue
    const one = open.pop()!
    if (one.name === 'a' && one.links === 1) link--
    if (TEXTS.has(one.name)) texts--
    if (HEADING.test(one.name)) lastHeadingTo = chars
    Object.assign(one, { to: chars, chars: chars - one.from, within: headings })
    const around = open.at(-1)
    if (around) [around.links, around.linked] = [around.links + one.links, around.linked + one.linked]
  }
  return { all, chars, headings, lastHeadingTo }
}

function isMenu ({ name, chars, links, linked }: Told): boolean {
  return MENUS.has(name) && links >= MENU_LINKS && linked >= MENU_SHARE * chars && linked <= LONGEST_LABEL * links
}

/** What stands beside the text and is nothing but links names other pages, however few they are. */
function isAllLinks ({ name, chars, links, linked }: Told): boolean {
  return MENUS.has(name) && links > 0 && chars > 0 && linked === chars && linked <= LONGEST_LABEL * links
}

/** Whether a footer is links and the year of a copyright only. */
function saysNothing (footer: Node): boolean {
  let text = footer.textContent.replaceAll(/\s+/g, ' ')
  const links = [...footer.getElementsByTagName('a')]
  if (links.length > MOST_LINKS) return false
  for (const link of links) text = text.replace(link.textContent.replaceAll(/\s+/g, ' '), '')
  return text.replaceAll(OF_NOBODY, '') === ''
}

const isNamed = (node: Node, name: RegExp) =>
  name.test(`${node.getAttribute('id') ?? ''} ${node.getAttribute('class') ?? ''}`)

function isFooter ({ node, name, chars, links, linked }: Told): boolean {
  if (chars === 0 || chars > LONGEST_FOOTER || name === 'a') return false
  if (isNamed(node, FOOTER_NAME)) return true
  if (LISTS.has(name) || name === 'li') return false
  const text = node.textContent
  if (COPYRIGHT.test(text)) return true
  return links >= FOOTER_LINKS && linked >= FOOTER_SHARE * chars && !SENTENCE_END.test(text)
}
