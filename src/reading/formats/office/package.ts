import { zipSync } from 'fflate'
import type { ArchiveParts } from '../archive.ts'
import { find, parseXml, textOfXml } from '../xml.ts'

/**
 * The input of Office readers: an archive rewritten by us, uncompressed, with true headers and only the readable parts.
 */
export function repacked (parts: ArchiveParts): Buffer {
  const { buffer, byteOffset, byteLength } = zipSync(Object.fromEntries(parts), { level: 0 })
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** The title in an Office file's properties. */
export function titleIn (parts: ArchiveParts): string | null {
  return property(parts, 'docProps/core.xml', 'title')
}

/** How many pages the program that saved the document counted; the file itself has none. */
export function pagesIn (parts: ArchiveParts): number | null {
  const pages = Number(property(parts, 'docProps/app.xml', 'Pages'))
  return Number.isSafeInteger(pages) && pages > 0 ? pages : null
}

function property (parts: ArchiveParts, part: string, name: string): string | null {
  const xml = parts.get(part)
  const [element] = xml ? find(parseXml(xml), name) : []
  return element ? textOfXml(element) : null
}
