import { XMLParser } from 'fast-xml-parser'
import { decode } from '../decode.ts'
import { ExtractError } from '../error.ts'

/** An XML element; names are without their namespace prefix. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: (XmlElement | string)[]
}

type Raw = Record<string, Raw[] | string | Record<string, string>>

const parser = new XMLParser({
  preserveOrder: true,
  removeNSPrefix: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true
})

/** Parses a part of an archive, in document order. Throws `damaged` when it is missing. */
export function parseXml (part: Uint8Array | undefined): XmlElement {
  if (!part) throw new ExtractError('damaged')
  return { name: '', attributes: {}, children: (parser.parse(decode(part)) as Raw[]).map(element) }
}

function element (raw: Raw): XmlElement | string {
  const name = Object.keys(raw).find((key) => key !== ':@')!
  if (name === '#text') return String(raw[name])
  return { name, attributes: (raw[':@'] ?? {}) as Record<string, string>, children: (raw[name] as Raw[]).map(element) }
}

/** All elements of these names below, in document order; an element found is not searched again. */
export function * find (root: XmlElement, ...names: string[]): Generator<XmlElement> {
  for (const child of root.children) {
    if (typeof child === 'string') continue
    if (names.includes(child.name)) yield child
    else yield * find(child, ...names)
  }
}

/** All text below. */
export function textOfXml (root: XmlElement): string {
  return root.children.map((child) => typeof child === 'string' ? child : textOfXml(child)).join('')
}

/** Where the relationships of a part lead: target part by relationship id and by the last word of its type. */
export function relations (
  parts: Map<string, Uint8Array>, part: string
): { id: string, type: string, target: string }[] {
  const name = part.lastIndexOf('/') + 1
  const rels = parts.get(`${part.slice(0, name)}_rels/${part.slice(name)}.rels`)
  if (!rels) return []
  return [...find(parseXml(rels), 'Relationship')].map(({ attributes: { Id = '', Type = '', Target = '' } }) => ({
    id: Id,
    type: Type.slice(Type.lastIndexOf('/') + 1),
    target: resolve(part, Target)
  }))
}

/** A part named relative to another. */
export function resolve (from: string, target: string): string {
  return decodeURI(new URL(target, new URL(from, 'part:///')).pathname.slice(1))
}
