import { basename, extname } from 'node:path/posix'
import type { PlannedSource } from './contract.ts'

/** A source that is a file of a page; `ending` says how it is read. */
export function fileSource (
  key: string, title: string, ending: string, content: string | Buffer, folder: readonly string[] = []
): PlannedSource {
  const named = cut(title.trim() || 'Untitled', 500)
  const name = `${cut(named.replace(/[/\\\0]/g, '-'), 100)}${ending}`
  return { key, type: 'docs', title: named, name, file: Buffer.from(content).toString('base64'), ...folderOf(folder) }
}

/** The names of folders as they may be here; undefined where there are none. */
export function folderOf (names: readonly string[]): { folder?: string[] } {
  const folder = names.map((name) => cut(name.replaceAll('\0', '').trim(), 200).trim()).filter(Boolean).slice(0, 20)
  return folder.length > 0 ? { folder } : {}
}

/** A text as part of a page in HTML. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The first heading of a Markdown text, else the title that its front matter gives. */
export function markdownTitle (text: string): string | undefined {
  return /^# (.*)$/m.exec(text)?.[1]?.trim() || /^title: (.*)$/m.exec(text)?.[1]?.trim().replace(/^["']|["']$/g, '') || undefined
}

/** What a file's name calls it, without its folders and its ending. */
export const stem = (name: string): string => basename(name, extname(name))

const cut = (text: string, most: number) => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
