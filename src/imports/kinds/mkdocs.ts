import path from 'node:path/posix'
import type { ImportFile, Kind, PlannedSource } from '../contract.ts'
import { escaped, fileSource, markdownTitle, stem } from '../documents.ts'
import { agentFrom } from '../fields.ts'
import type { Ledger, Part } from '../ledger.ts'

/** A page's title in the navigation, and the headings above it there. */
interface NavEntry { part: Part, title?: string, above: string[] }

/** A site of MkDocs: its `mkdocs.yml` with the folder of its pages, or the `search_index.json` of the built site. */
export const mkdocs: Kind = {
  name: 'mkdocs',
  title: 'MkDocs',
  detect: (files) => files.some((file) => isSettings(file) || isIndex(file)),
  read (files, ledger) {
    const settings = files.filter(isSettings)
    const first = settings[0] && ledger.open(settings[0].name, settings[0].value)
    const agent = agentFrom({
      key: first?.get('site_url').text || first?.get('site_name').text || 'mkdocs',
      name: first?.get('site_name') ?? ledger.open('mkdocs', {}).get('site_name'),
      ...(first && { description: first.get('site_description') })
    })
    const pages = settings.flatMap((file) => pagesOf(file, files, ledger))
    const indexes = files.filter(isIndex).map(({ name, value }) => ledger.open(name, value))
    if (pages.length > 0) for (const index of indexes) index.ignored('Its pages came from the folder of the site.')
    return [{ ...agent, sources: pages.length > 0 ? pages : indexes.flatMap(indexed) }]
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isSettings = ({ name, value }: ImportFile): boolean =>
  /(?:^|\/)mkdocs[\w.-]{0,40}\.ya?ml$/i.test(name) && isObject(value) && ('site_name' in value || 'nav' in value)

function isIndex ({ value }: ImportFile): boolean {
  const docs = isObject(value) ? value.docs : undefined
  return Array.isArray(docs) && docs.some((one) => isObject(one) && typeof one.location === 'string' && 'text' in one)
}

/** The Markdown files of a site, titled as in its navigation. */
function pagesOf ({ name, value }: ImportFile, files: ImportFile[], ledger: Ledger): PlannedSource[] {
  const settings = ledger.open(name, value)
  const folder = path.join(path.dirname(name), settings.get('docs_dir').text || 'docs').replace(/(?<=.)\/$/, '')
  settings.get('docs_dir').ignored('Where the pages were stored.')
  const places = placesIn(settings.get('nav'))
  const found = files.flatMap((file): PlannedSource[] => {
    const isInside = folder === '.' || file.name.startsWith(`${folder}/`)
    const text = file.bytes.toString()
    // If a folder has two settings files, the first one takes its pages.
    if (!isInside || !/\.(?:md|markdown|mkdn?)$/i.test(file.name) || !text.trim() || ledger.isSettled(file.name)) return []
    const at = folder === '.' ? file.name : file.name.slice(folder.length + 1)
    const place = places.get(at)
    places.delete(at)
    place?.part.ignored(place.above.length > 0 ? `The page was under ${place.above.join(' / ')}.` : 'Where the page was.')
    ledger.note({ at: file.name, outcome: 'carried', to: 'sources' })
    return [fileSource(at, place?.title ?? markdownTitle(text) ?? stem(at), '.md', file.bytes, place?.above ?? path.dirname(at).split('/').filter((one) => one !== '.'))]
  })
  for (const { part } of places.values()) {
    part.dropped('No such page was given. Add it to the agent separately: as a file, or by its address.')
  }
  return found
}

/** The pages of the navigation by path. */
function placesIn (nav: Part): Map<string, NavEntry> {
  const places = new Map<string, NavEntry>()
  const waiting: NavEntry[] = [{ part: nav, above: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { part, title, above } = next
    if (part.text) places.set(path.normalize(part.text), next)
    const inside = title === undefined ? above : [...above, title]
    for (const one of part.list()) waiting.push({ part: one, above: inside })
    if (!isObject(part.value) || Array.isArray(part.value)) continue
    for (const key of Object.keys(part.value)) waiting.push({ part: part.get(key), title: key, above: inside })
  }
  return places
}

/** The sections of an index, grouped by page. */
function indexed (index: Part): PlannedSource[] {
  index.get('config').ignored('How the site was searched.')
  const pages = Map.groupBy(index.get('docs').list(), (part) => part.get('location').text.split('#', 1)[0]!)
  return [...pages].flatMap(([location, sections]) => pageOf(location, sections))
}

function pageOf (location: string, all: Part[]): PlannedSource[] {
  const [first] = all
  const whole = first!.get('text').text
  const sections = all.filter((part, i) => {
    const { text } = part.get('text')
    // Older sites list a page whole, and also each of its sections.
    const isThere = i > 0 && text.trim() !== '' && whole.includes(text) && whole.includes(part.get('title').text)
    if (isThere) part.ignored('It is in its page already.')
    return !isThere && (text.trim() !== '' || part.get('title').text.trim() !== '')
  })
  if (sections.every((part) => !part.get('text').text.trim())) return []
  const isHtml = sections.some((part) => /<\/?[a-z][a-z0-9]{0,20}[\s/>]/i.test(part.get('text').text))
  const lines = sections.flatMap((part, i) => {
    const [title, text] = [part.get('title'), part.get('text')]
    part.get('location').ignored('Where it was.')
    for (const one of [title, text]) if (one.text) one.carried('sources')
    if (!isHtml) return [title.text, text.text]
    // Titles of newer sites are HTML as well, with entities.
    const level = i === 0 ? 'h1' : 'h2'
    return [`<${level}>${title.text}</${level}>`, `<div>${text.text}</div>`]
  })
  const title = plain(first!.get('title').text) || location
  if (!isHtml) return [fileSource(location, title, '.txt', lines.filter((line) => line.trim()).join('\n\n'))]
  return [fileSource(location, title, '.html', `<title>${escaped(title)}</title>\n${lines.join('\n')}`)]
}

/** A title without its tags. */
const plain = (title: string): string => title.replace(/<[^<>]*>/g, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
  .replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
