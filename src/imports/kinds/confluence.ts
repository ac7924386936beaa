import { parse, titleOf } from '../../reading/formats/markup/html.ts'
import type { ImportFile, Kind, PlannedSource } from '../contract.ts'
import { escaped, fileSource, stem } from '../documents.ts'
import { agentFrom } from '../fields.ts'
import { Ledger, type Part } from '../ledger.ts'
import { htmlOfStorage } from './storage.ts'

const CONFLUENCE_FIELDS = [
  'id', 'type', 'spaceId', 'parentId', 'parentType', 'position', 'authorId', 'ownerId', 'lastOwnerId', 'createdAt', 'version',
  'status', '_links', '_expandable', 'extensions'
]

const CONTENT = 'wiki-content'
const FRAME = 'Only the text of the page was taken, without its authors, comments and attachments.'

/** Pages of Confluence: the JSON of `pages?body-format=storage`, or the HTML of a space in a zip. */
export const confluence: Kind = {
  name: 'confluence',
  title: 'Confluence',
  detect (files) {
    const seen = new Ledger()
    return files.some((file) => isExported(file) || pagesIn(seen.open(file.name, file.value)).length > 0)
  },
  read (files, ledger) {
    const agent = agentFrom({ key: spaceOf(files, ledger), name: ledger.open('confluence', {}).get('name') })
    const parts = files.flatMap(({ name, value }) => pagesIn(ledger.open(name, value)))
    const known = parts.filter((part) => part.get('id').value !== undefined)
    const pages = new Map(known.map((part) => [part.get('id').label, part]))
    const exported = files.filter(isExported).map((file): PlannedSource => {
      const page = file.bytes.toString()
      ledger.note({ at: file.name, outcome: 'changed', to: 'sources', why: FRAME, value: page })
      return fileSource(file.name, exportedTitle(file.name, page), '.html', contentOf(page))
    })
    return [{ ...agent, sources: [...parts.flatMap((part) => pageOf(part, pages)), ...exported] }]
  }
}

/** Each exported page has such a part; the index of pages has none. */
const isExported = ({ name, bytes }: ImportFile): boolean =>
  /\.html?$/i.test(name) && !/(?:^|\/)index\.html?$/i.test(name) && bytes.includes(CONTENT)

/** What a person wrote on an exported page: between its header and its attachments or comments. */
function contentOf (page: string): string {
  const start = page.lastIndexOf('<', page.indexOf(CONTENT))
  const marks = ['<div class="pageSection', '<div id="footer"']
  const ends = marks.map((mark) => page.indexOf(mark, start + 1)).filter((at) => at > 0)
  return page.slice(Math.max(0, start), Math.min(page.length, ...ends))
}

/** "Space : Page" without the space. */
function exportedTitle (name: string, page: string): string {
  const title = titleOf(parse(page.slice(0, 10_000)))?.trim() ?? ''
  return title.slice(title.indexOf(' : ') + 1).replace(/^: /, '') || stem(name).replace(/_\d{1,20}$/, '').replaceAll('-', ' ')
}

const BODIES = ['storage', 'export_view', 'view', 'styled_view', 'atlas_doc_format']

/** The pages of a list, of a page of one, or a single one. */
function pagesIn (file: Part): Part[] {
  const all = [file, ...file.list(), ...file.get('results').list()]
  return all.filter((part) => {
    const isBody = BODIES.some((name) => part.get('body', name).value !== undefined)
    return typeof part.get('title').value === 'string' && (isBody || part.get('spaceId').value !== undefined)
  })
}

/** The key of the space that pages belong to. */
function spaceOf (files: ImportFile[], ledger: Ledger): string {
  const parts = files.flatMap(({ name, value }) => pagesIn(ledger.open(name, value)))
  return parts.map((part) => part.get('spaceId').label).find(Boolean) ?? 'confluence'
}

/** The titles of a page's parents, from the top; at most 20 of them. */
function aboveOf (part: Part, pages: Map<string, Part>): string[] {
  const above: string[] = []
  for (let at = pages.get(part.get('parentId').label); at && above.length < 20; at = pages.get(at.get('parentId').label)) {
    above.unshift(at.get('title').text)
  }
  return above
}

function pageOf (part: Part, pages: Map<string, Part>): PlannedSource[] {
  if (!['', 'current'].includes(part.get('status').text)) {
    part.dropped('The page is a draft, in the archive or in the trash. Add it separately if customers may read it.')
    return []
  }
  const body = part.get('body')
  // The last of them is not HTML.
  const from = BODIES.slice(0, -1).map((name) => body.get(name, 'value')).find(({ text }) => text.trim())
  if (!from) {
    body.dropped('There is no text that can be read. Export the pages with body-format=storage.')
    return []
  }
  const { html, macros } = htmlOfStorage(from.text)
  if (!html.replace(/<[^<>]*>|&nbsp;/g, '').trim()) {
    from.dropped(`The page has no text of its own${listed(macros)}. Write as text what the agent should know of it.`)
    return []
  }
  from.changed('sources', macros.length > 0
    ? `Not carried${listed(macros)}. Write as text what the agent should know of it.`
    : 'Only the text was taken, with its headings, lists and tables.')
  for (const name of CONFLUENCE_FIELDS) part.get(name).ignored('It only says how the page was stored.')
  for (const name of ['storage', 'view']) body.get(name, 'representation').ignored('It only says how the page was stored.')
  const title = part.get('title').take('sources', 500)
  const id = String(part.get('id').value ?? title)
  const folder = aboveOf(part, pages)
  const parent = folder.at(-1)
  const above = parent ? `<p>${escaped(parent)}</p>\n` : ''
  return [fileSource(id, title ?? '', '.html', `<title>${escaped(title ?? '')}</title>\n${above}${html}`, folder)]
}

const listed = (macros: string[]) => (macros.length > 0 ? `: ${macros.slice(0, 50).join(', ')}` : '')
