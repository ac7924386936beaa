import { type Node, steps } from './dom.ts'

/*
 * Menus and footers that are no `nav` and no `footer`: pages made of plain elements have them too, and an answer that
 * quotes a section would end with them.
 */

/** Elements that menus are made of, and those that are lists or tables of their own. */
const MENUS = new Set('ul ol menu div header section p center td'.split(' '))
const LISTS = new Set('ul ol dl menu table tbody tr'.split(' '))
const HEADING = /^h[1-6]$/
/** A menu has at least this many links, hardly anything besides, and short ones. */
const [MENU_LINKS, MENU_SHARE, LONGEST_LABEL] = [3, 0.9, 30]
/** A footer has at least this many links, which are this share of it; and no more characters than this. */
const [FOOTER_LINKS, FOOTER_SHARE, LONGEST_FOOTER] = [2, 0.25, 800]
/** How many footers are looked for, one above the other, among how many elements: a page may nest deeply. */
const [MOST_FOOTERS, MOST_LAST] = [4, 40]
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
}

/** Marks a page's footers as such, and takes out the menus above its first heading; both only beside other text. */
export function tidied (root: Node) {
  const { all, chars, headings, lastHeadingTo } = measured(root)
  if (headings === 0) return
  const menus = all.filter((one) => one.within === 0 && isMenu(one))
  const isAll = menus.every(({ from, to }) => from === 0 && to === chars)
  if (!(menus.length > 0 && isAll)) for (const { node } of menus) node.remove()
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

/** The elements of a page in the order in which they begin, measured in one walk. */
function measured (root: Node) {
  const all: Told[] = []
  const open: Told[] = []
  let [chars, headings, lastHeadingTo, link] = [0, 0, 0, 0]
  const isElsewhere = (node: Node) => !(node.getAttribute('href') ?? '#').startsWith('#')
  for (const { text, table, open: opened, close, node } of steps(root, false)) {
    const more = (text ?? table?.textContent ?? '').replaceAll(/\s+/g, '').length
    chars += more
    if (link > 0 && open.length > 0) open.at(-1)!.linked += more
    if (opened !== undefined) {
      const counted = { chars: 0, links: 0, linked: 0, to: 0, within: 0 }
      const one = { node: node!, name: opened, ...counted, from: chars, above: headings }
      if (opened === 'a' && isElsewhere(node!)) link += one.links = 1
      if (HEADING.test(opened)) headings++
      all.push(one)
      open.push(one)
    }
    if (close === undefined) continue
    const one = open.pop()!
    if (one.name === 'a' && one.links === 1) link--
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

function isFooter ({ node, name, chars, links, linked }: Told): boolean {
  if (chars === 0 || chars > LONGEST_FOOTER || name === 'a') return false
  if (FOOTER_NAME.test(`${node.getAttribute('id') ?? ''} ${node.getAttribute('class') ?? ''}`)) return true
  if (LISTS.has(name) || name === 'li') return false
  const text = node.textContent
  if (COPYRIGHT.test(text)) return true
  return links >= FOOTER_LINKS && linked >= FOOTER_SHARE * chars && !SENTENCE_END.test(text)
}
