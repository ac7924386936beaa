import { ExtractError } from '../../error.ts'
import type { Node } from './dom.ts'

/** What the styles of a page say about an element, by property; only what may hide text is stored. */
export type Declarations = Map<string, string>

/** A rule that may hide text: the compound selectors from the element outwards, and what it declares. */
interface Rule {
  target: Compound
  above: { compound: Compound, isParent: boolean }[]
  weight: number
  order: number
  declared: Declared[]
}
interface Compound { tag: string | null, id: string | null, classes: string[] }
interface Declared { property: string, value: string, isImportant: boolean }

/** What decides whether text is seen. */
const PROPERTIES = new Set([
  'display', 'visibility', 'content-visibility', 'opacity', 'filter', 'font', 'font-size', 'color',
  '-webkit-text-fill-color', 'background', 'background-color', 'background-image', 'position', 'inset', 'left', 'top',
  'right', 'bottom', 'margin-left', 'margin-top', 'text-indent', 'transform', 'clip', 'clip-path', 'overflow', 'overflow-x',
  'overflow-y', 'width', 'height', 'max-width', 'max-height'
])
/** The window in which widths are judged: that of an ordinary screen, in pixels. */
const WINDOW = 1280
/** Comparisons of an element with a selector, in all: ordinary pages need a few hundred thousand. */
const MOST_COMPARISONS = 5_000_000
const MOST_ABOVE = 5
const ELEMENT_NODE = 1

/**
 * The `<style>` rules of a page as far as they may hide text: selectors of tags, classes and ids, one inside the other.
 * Rules for states (`:hover`), for printing and from other files are passed over.
 */
export class Styles {
  readonly #byKey = new Map<string, Rule[]>()
  #rules = 0
  #comparisons = 0
  /** Whether there are rules that were passed over, so that a background nobody stated here may still have a colour. */
  isPartial = false

  constructor (sheets: string[]) {
    for (const sheet of sheets) this.#read(withoutComments(sheet))
  }

  /**
   * What holds for an element, its own `style` attribute included. Throws `too_large` where a page has more rules than
   * can be tried.
   */
  of (element: Node): Declarations {
    const inline = declarationsOf(element.getAttribute('style') ?? '')
    const rules = this.#byKey.size ? this.#matching(element) : []
    const found: Declarations = new Map()
    const all = [...rules.flatMap((rule) => rule.declared), ...inline]
    for (const { property, value } of all.filter(({ isImportant }) => !isImportant)) found.set(property, value)
    for (const { property, value } of all.filter(({ isImportant }) => isImportant)) found.set(property, value)
    return found
  }

  #matching (element: Node): Rule[] {
    const keys = [
      '*',
      element.localName ?? '',
      `#${element.getAttribute('id') ?? ''}`,
      ...classesOf(element).map((name) => `.${name}`)
    ]
    const candidates = keys.flatMap((key) => this.#byKey.get(key) ?? [])
    this.#comparisons += candidates.length
    if (this.#comparisons > MOST_COMPARISONS) {
      throw new ExtractError(
        'too_large', 'The page has too many style rules to tell which parts are shown. Split it or save it as text.'
      )
    }
    return candidates.filter((rule) => matches(rule, element)).sort((a, b) => a.weight - b.weight || a.order - b.order)
  }

  /**
   * Takes in a sheet without its comments. Blocks of conditions that hold on a screen are read as if they stood
   * outside.
   */
  #read (css: string) {
    for (let at = 0; at < css.length;) {
      const open = css.indexOf('{', at)
      if (open === -1) return
      // What ends with a semicolon before it, `@import` for one, is no part of the selector.
      const prelude = css.slice(at, open).replace(/^[\s\S]*[;}]/, '').trim()
      if (prelude.startsWith('@') && holdsOnScreen(prelude)) {
        // Its closing brace is passed over as part of the next prelude.
        at = open + 1
        continue
      }
      const close = closing(css, open)
      if (!prelude.startsWith('@')) this.#add(prelude, declarationsOf(css.slice(open + 1, close)))
      at = close + 1
    }
  }

  #add (selectors: string, declared: Declared[]) {
    if (declared.length === 0) return
    for (const selector of selectors.split(',')) {
      const rule = ruleOf(selector.trim(), declared, this.#rules++)
      if (rule === undefined) this.isPartial ||= declared.some(({ property }) => property.startsWith('background'))
      else {
        const key = keyOf(rule.target)
        const others = this.#byKey.get(key)
        if (others) others.push(rule)
        else this.#byKey.set(key, [rule])
      }
    }
  }
}

/** What a `style` attribute or a rule declares, of what may hide text. */
function declarationsOf (css: string): Declared[] {
  return plain(css).split(';').flatMap((declaration) => {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if (!PROPERTIES.has(property)) return []
    const value = declaration.slice(colon + 1).toLowerCase()
    return [{ property, value: value.replace(/!\s*important/, '').trim(), isImportant: /!\s*important/.test(value) }]
  })
}

/**
 * What begins like a comment in quotes or in an address is none. Whatever is not closed matches too, so that no style
 * takes longer than it is long.
 */
function withoutComments (css: string): string {
  return css.replace(
    /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]+|\\[\s\S])*"?|'(?:[^'\\\n]+|\\[\s\S])*'?|url\([^)'"]*/gi,
    (found) => found.startsWith('/*') ? ' ' : found
  )
}

/** CSS without its comments and with its escapes resolved: `n\6f ne` is `none`, as is `n\one`. */
function plain (css: string): string {
  return withoutComments(css)
    .replace(/\\(?:([\da-f]{1,6})\s?|([^\r\n]))/gi, (_, code?: string, letter?: string) => {
      if (code === undefined) return letter!
      const point = parseInt(code, 16)
      return point > 0x10ffff ? '' : String.fromCodePoint(point)
    })
}

/** Whether a block's condition holds where pages are read on a screen of ordinary width. */
function holdsOnScreen (prelude: string): boolean {
  if (/^@(?:supports|layer|container|scope)\b/i.test(prelude)) return true
  if (!/^@media\b/i.test(prelude) || /\b(?:print|speech|not)\b/i.test(prelude)) return false
  const widths = [...prelude.matchAll(/\((min|max)-width\s*:\s*([\d.]+)(px|em|rem)\s*\)/gi)]
  const conditions = prelude.match(/\(/g)?.length ?? 0
  return conditions === widths.length && widths.every(([, bound = '', size, unit]) => {
    const pixels = Number(size) * (unit?.toLowerCase() === 'px' ? 1 : 16)
    return bound.toLowerCase() === 'min' ? pixels <= WINDOW : pixels >= WINDOW
  })
}

function closing (css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at++) {
    if (css[at] === '{') depth++
    else if (css[at] === '}' && --depth === 0) return at
  }
  return css.length
}

/** What its rules are found by: an id, else a class, else a tag. */
function keyOf ({ id, classes, tag }: Compound): string {
  if (id) return `#${id}`
  return classes[0] ? `.${classes[0]}` : tag ?? '*'
}

/** A selector of tags, classes and ids, `.a > p.b #c`; undefined for any other. */
function ruleOf (selector: string, declared: Declared[], order: number): Rule | undefined {
  const parts = selector.replace(/(?<!\s)\s*>\s*/g, ' >').split(/\s+/).filter(Boolean)
  const compounds = parts.map((part) => ({
    compound: compoundOf(part.replace(/^>/, '')), isParent: part.startsWith('>')
  }))
  const last = compounds.at(-1)
  if (!last?.compound || compounds.length > MOST_ABOVE + 1 || compounds.some(({ compound }) => !compound)) {
    return undefined
  }
  const known = compounds as { compound: Compound, isParent: boolean }[]
  // Whether the element above must be the parent is said by the part below it.
  const above = known
    .slice(0, -1)
    .map(({ compound }, i) => ({ compound, isParent: known[i + 1]?.isParent === true }))
    .reverse()
  const weight = known.reduce(
    (sum, { compound: { tag, id, classes } }) => sum + (id ? 10_000 : 0) + classes.length * 100 + (tag ? 1 : 0), 0
  )
  return { target: last.compound, above, weight, order, declared }
}

function compoundOf (part: string): Compound | undefined {
  const [, tag = '', marks = ''] = /^(\*|[a-z][\w-]*|:root)?((?:[.#](?:[\w-]|[^\0-\x7f])+)*)$/i.exec(part) ?? []
  if (!tag && !marks) return undefined
  const names = marks.match(/[.#][^.#]+/g) ?? []
  const ids = names.filter((name) => name.startsWith('#'))
  if (ids.length > 1) return undefined
  const name = tag === ':root' ? 'html' : tag.toLowerCase()
  return {
    tag: name === '*' || name === '' ? null : name,
    id: ids[0]?.slice(1) ?? null,
    classes: names.filter((name) => name.startsWith('.')).map((name) => name.slice(1))
  }
}

function matches ({ target, above }: Rule, element: Node): boolean {
  if (!fits(target, element)) return false
  let at = element.parentNode
  for (const { compound, isParent } of above) {
    while (at.nodeType === ELEMENT_NODE && !fits(compound, at)) {
      if (isParent) return false
      at = at.parentNode
    }
    if (at.nodeType !== ELEMENT_NODE) return false
    at = at.parentNode
  }
  return true
}

function fits ({ tag, id, classes }: Compound, element: Node): boolean {
  if (tag !== null && element.localName !== tag) return false
  if (id !== null && element.getAttribute('id') !== id) return false
  if (classes.length === 0) return true
  const given = classesOf(element)
  return classes.every((name) => given.includes(name))
}

/** Asked of an element again for each rule, and of those around it for each element in them. */
const known = new WeakMap<Node, string[]>()

function classesOf (element: Node): string[] {
  const classes = known.get(element) ?? (element.getAttribute('class') ?? '').split(/\s+/).filter(Boolean)
  known.set(element, classes)
  return classes
}
