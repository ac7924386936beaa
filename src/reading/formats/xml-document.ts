import type { Document } from '../document.ts'
import { Draft } from '../draft.ts'
import { ExtractError } from '../error.ts'
import { textOfHtml } from './markup/html.ts'
import { find, parseXml, textOfXml, type XmlElement } from './xml.ts'

/** Attributes that say something to programs only. */
const TECHNICAL = /^(?:xmlns|schemaLocation|noNamespaceSchemaLocation|space|lang|base|version|encoding)$/

/** Elements inside elements; deeper is a puzzle, not a document. */
const MAX_DEPTH = 1000

/**
 * An XML document. Text with elements in it is a paragraph; elements that hold nothing but a value are lines of
 * `name: value`, those of one element together. Throws `unsafe` where it declares entities, `too_large`, `no_text` or
 * `damaged`.
 */
export function readXml (text: string): Document {
  const draft = new Draft('xml')
  if (isDeep(text)) {
    throw new ExtractError('too_large', `The XML is nested more than ${MAX_DEPTH} levels deep. Upload a flatter file.`)
  }
  const root = parseXml(Buffer.from(text))
  const [title] = find(root, 'title')
  draft.title = title ? shown(title) : null
  add(draft, root)
  return draft.finish()
}

/** Whether elements are nested too deeply; checked before they are parsed, which would take long. */
function isDeep (xml: string): boolean {
  let depth = 0
  for (let at = xml.indexOf('<'); at !== -1 && depth <= MAX_DEPTH; at = xml.indexOf('<', at + 1)) {
    const next = xml[at + 1] ?? ''
    const end = xml.indexOf('>', at)
    if (end === -1) break
    if (next === '/') depth--
    else if (!/[!?]/.test(next) && xml[end - 1] !== '/') depth++
  }
  return depth > MAX_DEPTH
}

function add (draft: Draft, element: XmlElement) {
  let values = valuesIn(element)
  const flush = () => {
    draft.add(values.join('\n'))
    values = []
  }
  for (const child of element.children) {
    if (typeof child === 'string') continue
    const kind = kindOf(child)
    if (kind === 'value') values.push(...valueOf(child))
    else {
      flush()
      if (kind === 'text') draft.add(shown(child))
      else add(draft, child)
    }
  }
  flush()
}

/** What an element is: a container of others, a text with marks in it, or a value. */
function kindOf ({ children }: XmlElement): 'container' | 'text' | 'value' {
  const hasElements = children.some((child) => typeof child !== 'string')
  const hasText = children.some((child) => typeof child === 'string' && child.trim())
  if (!hasElements) return 'value'
  return hasText ? 'text' : 'container'
}

function valueOf (element: XmlElement): string[] {
  const text = shown(element)
  const attributes = valuesIn(element)
  if (text) return [`${element.name}: ${[text, ...attributes].join(', ')}`]
  return attributes.length ? [`${element.name}: ${attributes.join(', ')}`] : []
}

function valuesIn ({ attributes }: XmlElement): string[] {
  return Object.entries(attributes)
    .filter(([name, value]) => !TECHNICAL.test(name) && !/^xmlns/.test(name) && value.trim())
    .map(([name, value]) => `${name}: ${value}`)
}

/** The text of an element; feeds carry HTML in it. */
function shown (element: XmlElement): string {
  const text = textOfXml(element).replace(/\s+/g, ' ').trim()
  return /<\/?[a-z][^<>]*>/i.test(text) ? textOfHtml(text) : text
}
