import { charactersIn } from '../../document.ts'
import { isPassedOver, type Node } from './dom.ts'
import { Styles, type Declarations } from './styles.ts'

/** What an element's descendants inherit. */
interface Look {
  isInvisible: boolean
  isTiny: boolean
  /** Red, green and blue; null where nothing says. */
  color: Color | null
  background: Color | null
}
type Color = [red: number, green: number, blue: number]

const WHITE: Color = [255, 255, 255]
const TEXT_NODE = 3
const ELEMENT_NODE = 1
/** Offset beyond which nothing is visible, by unit. */
const FAR: Record<string, number> = {
  px: 900, em: 56, rem: 56, ex: 112, ch: 112, '%': 100, vw: 100, vh: 100, pt: 675, in: 9, cm: 24
}
/** Letters smaller than this many pixels cannot be read. */
const TINY_PX = 2

/**
 * Removes invisible text from a page: what its attributes, its `style` attributes or its `<style>` rules hide, put out
 * of the window, make too small, or print in the colour of what is behind it. It could be used to put words into an
 * agent's mouth. Returns how many characters were removed. Throws `too_large`.
 */
export function removeHidden (root: Node): number {
  const styles = new Styles([...root.getElementsByTagName('style')].map((style) => style.textContent))
  const isPartial =
    styles.isPartial ||
    [...root.getElementsByTagName('link')].some((link) => /stylesheet/i.test(link.getAttribute('rel') ?? ''))
  const doomed: Node[] = []
  let hidden = 0
  const looks: Look[] = [{ isInvisible: false, isTiny: false, color: null, background: isPartial ? null : WHITE }]
  const leave = (node: Node) => {
    doomed.push(node)
    hidden += textLength(node)
  }

  /** Whether to go into an element; its look is then the last one. */
  const enter = (element: Node): boolean => {
    if (isPassedOver(element, false)) return false
    const declared = styles.of(element)
    // A page that is hidden as a whole is shown by its scripts.
    if (
      !/^(?:html|body)$/.test(element.localName ?? '') &&
      (isHiddenByAttribute(element, declared) || hidesAll(declared))
    ) {
      leave(element)
      return false
    }
    looks.push(lookOf(element, declared, looks.at(-1)!))
    return true
  }

  let node: Node = root
  for (;;) {
    if (node.nodeType === TEXT_NODE && isUnseen(looks.at(-1)!)) leave(node)
    if (node.nodeType === ELEMENT_NODE && enter(node)) {
      if (node.firstChild) {
        node = node.firstChild
        continue
      }
      looks.pop()
    }
    while (node !== root && !node.nextSibling) {
      node = node.parentNode
      looks.pop()
    }
    if (node === root) break
    node = node.nextSibling!
  }
  for (const one of doomed) one.remove()
  return hidden
}

/** Whether a tag on its own says that nobody sees what is in it: for HTML inside other formats, where no rules hold. */
export function hidesByItself (name: string, attributes: Record<string, string>): boolean {
  const element = { localName: name, getAttribute: (key: string) => attributes[key] ?? null } as Node
  const declared = NO_RULES.of(element)
  return (
    isHiddenByAttribute(element, declared) ||
    hidesAll(declared) ||
    isUnseen(lookOf(element, declared, { isInvisible: false, isTiny: false, color: null, background: WHITE }))
  )
}

const NO_RULES = new Styles([])

function isHiddenByAttribute (element: Node, declared: Declarations): boolean {
  if (element.getAttribute('aria-hidden')?.trim().toLowerCase() === 'true') return true
  const isHidden = element.getAttribute('hidden') !== null || element.getAttribute('popover') !== null ||
    (element.localName === 'dialog' && element.getAttribute('open') === null)
  // A style that gives it a box shows it again.
  return isHidden && (declared.get('display') ?? 'none') === 'none'
}

function hidesAll (declared: Declarations): boolean {
  const value = (property: string) => declared.get(property) ?? ''
  if (value('display') === 'none' || value('content-visibility') === 'hidden') return true
  if (value('opacity') && parseFloat(value('opacity')) <= (value('opacity').endsWith('%') ? 5 : 0.05)) return true
  if (/opacity\(\s*(?:0*\.0\d*|0+)%?\s*\)/.test(value('filter'))) return true
  if (
    /absolute|fixed/.test(value('position')) &&
    ['inset', 'left', 'top', 'right', 'bottom'].some((side) => isFarOut(value(side)))
  ) { return true }
  if (/absolute|fixed/.test(value('position')) && /^(?:[5-9]\d{3}|\d{5,})(?:\.\d+)?px$/.test(value('left'))) return true
  // A margin of minus a whole width is how columns were put side by side.
  if (['margin-left', 'margin-top', 'text-indent'].some((side) => isFarOut(value(side).replace(/-1\d\d%/, '')))) {
    return true
  }
  if (
    /scale[xy3d]*\(\s*(?:0*\.)?0+\s*[,)]/.test(value('transform')) ||
    isFarOut(/translate[xy3d]*\(([^()]*)\)/.exec(value('transform'))?.[1] ?? '')
  ) { return true }
  if (/rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)/.test(value('clip'))) return true
  if (/inset\(\s*(?:50|100)%|circle\(\s*0/.test(value('clip-path'))) return true
  return ['overflow', 'overflow-x', 'overflow-y'].some((name) => /hidden|clip/.test(value(name))) &&
    ['width', 'height', 'max-width', 'max-height'].some((name) => /^[01](?:px)?$|^0(?:\.0+)?[a-z%]*$/.test(value(name)))
}

/** Whether one of some lengths lies far to the left or above. */
function isFarOut (lengths: string): boolean {
  return [...lengths.matchAll(/-([\d.]+)(px|r?em|ex|ch|%|v[wh]|pt|in|cm)/g)].some(
    ([, size, unit]) => Number(size) >= FAR[unit!]!
  )
}

function lookOf (element: Node, declared: Declarations, around: Look): Look {
  const visibility = declared.get('visibility')
  const size =
    declared.get('font-size') ?? /(?:^|\s)([\d.]+(?:px|r?em|pt|%)|0(?=[\s/]))/.exec(declared.get('font') ?? '')?.[1]
  const color =
    declared.get('-webkit-text-fill-color') ?? declared.get('color') ?? element.getAttribute('color')?.toLowerCase()
  const behind =
    declared.get('background-color') ?? declared.get('background') ?? element.getAttribute('bgcolor')?.toLowerCase()
  const isPicture = /url\(|gradient/.test(
    `${declared.get('background') ?? ''}${declared.get('background-image') ?? ''}`
  )
  const background = behind === undefined ? around.background : colorIn(behind, around.background)
  return {
    isInvisible: visibility === undefined ? around.isInvisible : /hidden|collapse/.test(visibility),
    isTiny: size === undefined ? around.isTiny : isTiny(size, around),
    color: color === undefined ? around.color : colorIn(color, background),
    background: isPicture ? null : background
  }
}

/** Sizes in `em` and per cent are parts of that around; of what cannot be read at all nothing is left by them. */
function isTiny (size: string, around: Look): boolean {
  const [, number = '', unit = ''] = /^([\d.]+)(px|r?em|pt|%|v[wh])?$/.exec(size) ?? []
  if (!number) return false
  const pixels = Number(number) * ({ px: 1, em: 16, rem: 16, pt: 4 / 3, '%': 0.16, vw: 12, vh: 8 }[unit] ?? 1)
  return pixels < TINY_PX || (around.isTiny && /em|%/.test(unit) && unit !== 'rem')
}

function isUnseen ({ isInvisible, isTiny, color, background }: Look): boolean {
  return (
    isInvisible ||
    isTiny ||
    (color !== null && background !== null && color.every((part, i) => Math.abs(part - background[i]!) <= 12))
  )
}

const NAMES: Record<string, Color> = {
  white: WHITE,
  black: [0, 0, 0],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  ghostwhite: [248, 248, 255],
  whitesmoke: [245, 245, 245],
  red: [255, 0, 0],
  green: [0, 128, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192]
}

/**
 * The colour that a value names, as it is seen over what is behind it where it is transparent. Null where it is not
 * known.
 */
function colorIn (value: string, behind: Color | null): Color | null {
  const { color, alpha } = namedIn(value)
  if (color === null) return /\b(?:transparent|none|inherit)\b/.test(value) ? behind : null
  if (alpha === 1) return color
  if (alpha <= 0.05) return behind
  return behind && color.map((part, i) => part * alpha + behind[i]! * (1 - alpha)) as Color
}

/** A colour and how opaque it is, from 0 to 1, as a value spells them: hex, rgb, hsl or a name. */
function namedIn (value: string): { color: Color | null, alpha: number } {
  const hex = /#([\da-f]{8}|[\da-f]{6}|[\da-f]{3,4})\b/.exec(value)?.[1]
  if (hex) {
    const long = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex
    const [red = 0, green = 0, blue = 0, alpha = 255] = long.match(/../g)!.map((part) => parseInt(part, 16))
    return { color: [red, green, blue], alpha: alpha / 255 }
  }
  const [, space, inside = ''] = /(rgb|hsl)a?\(((?:[^()]|\([^()]*\))*)\)/.exec(value) ?? []
  const [first, second, third, opacity = '1'] = inside.split(/[\s,/]+/).filter(Boolean)
  if (first && second && third) {
    const part = opacity === 'none' ? 0 : parseFloat(opacity) * (opacity.endsWith('%') ? 0.01 : 1)
    // Of a variable it is not known; most are 1.
    const alpha = Number.isNaN(part) ? 1 : part
    if (space === 'hsl') {
      return { color: fromHsl(parseFloat(first), parseFloat(second) / 100, parseFloat(third) / 100), alpha }
    }
    const parts = [first, second, third].map((part) => parseFloat(part) * (part.endsWith('%') ? 2.55 : 1))
    return { color: parts as Color, alpha }
  }
  return { color: NAMES[/[a-z]+/.exec(value)?.[0] ?? ''] ?? null, alpha: 1 }
}

/** A hue in degrees, saturation and lightness from 0 to 1, as CSS defines them. */
function fromHsl (hue: number, saturation: number, lightness: number): Color {
  const part = (offset: number) => {
    const k = (((offset + hue / 30) % 12) + 12) % 12
    const most = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - most * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [part(0), part(8), part(4)]
}

/** Characters of a text as a reader would see them: runs of blanks are one. Of code there is nothing to see. */
function textLength (root: Node): number {
  if (root.nodeType === TEXT_NODE) return charactersIn(root.data.replace(/\s+/g, ' ').trim())
  let sum = 0
  let node: Node = root
  do {
    if (node.nodeType === TEXT_NODE) sum += charactersIn(node.data.replace(/\s+/g, ' ').trim())
    if (node.firstChild && (node === root || !isPassedOver(node, false))) {
      node = node.firstChild
      continue
    }
    while (node !== root && !node.nextSibling) node = node.parentNode
    if (node !== root) node = node.nextSibling!
  } while (node !== root)
  return sum
}
