import { basename, extname } from 'node:path/posix'
import type { PlannedSource } from './contract.ts'

/** A source from a page's file; `ending` determines how it is read. */
export function fileSource (
  key: string, title: string, ending: string, content: string | Buffer, folder: readonly string[] = []
): PlannedSource {
  const named = cut(title.trim() || 'Untitled', 500)
  const name = `${cut(named.replace(/[/\\\0]/g, '-'), 100)}${ending}`
  return { key, type: 'docs', title: named, name, file: Buffer.from(content).toString('base64'), ...folderOf(folder) }
}

/** Folder names made valid; undefined if there are none. */
export function folderOf (names: readonly string[]): { folder?: string[] } {
  const folder = names.map((name) => cut(name.replaceAll('\0', '').trim(), 200).trim()).filter(Boolean).slice(0, 20)
  return folder.length > 0 ? { folder } : {}
}

/** Text as part of an HTML page. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The first heading of a Markdown text, otherwise the title in its front matter. */
export function markdownTitle (text: string): string | undefined {
  return /^# (.*)$/m.exec(text)?.[1]?.trim() || /^title: (.*)$/m.exec(text)?.[1]?.trim().replace(/^["']|["']$/g, '') || undefined
}

/** A title from a file's name, without folders and extension. */
export const stem = (name: string): string => basename(name, extname(name))

const cut = (text: string, most: number) => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
