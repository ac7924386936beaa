import type { Kind, PlannedSource } from '../contract.ts'
import { fileSource } from '../documents.ts'
import { agentFrom } from '../fields.ts'
import { Ledger, type Part } from '../ledger.ts'

const HELPSCOUT_FIELDS = [
  'id', 'number', 'collectionId', 'siteId', 'slug', 'status', 'publicUrl', 'url', 'updatedAt', 'createdAt', 'lastPublishedAt',
  'createdBy', 'updatedBy'
]
const SIGNS = ['collectionId', 'number', 'publicUrl', 'updatedAt', 'status', 'slug']
const LISTS = ['article', 'articles', 'items', 'collection', 'collections', '_embedded']
const HIDDEN = 'It is a draft, or not for everybody. Add it to the agent separately if customers may read it.'

/** Articles of Help Scout Docs as its API returns them: one, a list, or a page of one; collections beside them. */
export const helpscout: Kind = {
  name: 'helpscout',
  title: 'Help Scout articles',
  detect (files) {
    const seen = new Ledger()
    return files.some(({ name, value }) => objectsOf(seen.open(name, value)).some(isArticle))
  },
  read (files, ledger) {
    const parts = files.flatMap(({ name, value }) => objectsOf(ledger.open(name, value)))
    const isPrivate = (part: Part) => part.get('visibility').text === 'private' || part.get('private').value === true
    const closed = parts.filter((part) => !isArticle(part) && isPrivate(part) && part.get('id').value !== undefined)
    const hidden = new Set(closed.map((part) => part.get('id').value))
    const places = parts.filter((part) => !isArticle(part) && part.get('name').text)
    const names = new Map(places.map((part) => [part.get('id').label, part.get('name')]))
    const site = parts.map((part) => part.get('siteId').label).find(Boolean)
    const agent = agentFrom({ key: site ?? 'helpscout', name: ledger.open('helpscout', {}).get('name') })
    const sources = parts.filter(isArticle).flatMap((part) => {
      const isOpen = ['', 'published', 'active'].includes(part.get('status').text) && part.get('draft').value !== true
      const above = [part.get('collectionId'), ...part.get('categories').list()]
      const isShown = isOpen && !isPrivate(part) && !above.some(({ value }) => hidden.has(value))
      if (isShown) return article(part, names)
      part.dropped(HIDDEN)
      return []
    })
    return [{ ...agent, sources }]
  }
}

/** The objects of a file, out of their lists and pages. */
function objectsOf (file: Part): Part[] {
  const found: Part[] = []
  const waiting = [file]
  // Items appended during iteration are visited as well.
  for (const part of waiting) {
    const named = LISTS.map((name) => part.get(name))
    const inside = named.filter(({ value }) => typeof value === 'object' && value !== null)
    const isList = Array.isArray(part.value)
    for (const one of isList ? part.list() : inside) waiting.push(one)
    if (!isList && inside.length === 0) found.push(part)
  }
  return found
}

/** Lists contain articles without their texts; collections and categories have names as well, and a visibility. */
const isArticle = (part: Part): boolean => {
  const has = (name: string) => part.get(name).value !== undefined
  if (typeof part.get('name').value !== 'string') return false
  return typeof part.get('text').value === 'string' ? SIGNS.some(has) : has('collectionId') && !has('visibility')
}

/** The names of an article's collection and category, if included. */
function foldersOf (part: Part, names: Map<string, Part>): string[] {
  const above = [part.get('collectionId'), ...part.get('categories').list().slice(0, 1)]
  return above.flatMap(({ label }) => {
    const name = names.get(label)
    name?.carried('sources', 'It is a folder.')
    return name ? [name.text] : []
  })
}

function article (part: Part, names: Map<string, Part>): PlannedSource[] {
  const [name, text] = [part.get('name'), part.get('text')]
  if (!text.text.trim()) {
    part.dropped('A list holds no texts. Export each article separately, by its number.')
    return []
  }
  for (const one of HELPSCOUT_FIELDS) part.get(one).ignored('It only says how the article was stored.')
  const title = name.take('sources', 500)
  text.carried('sources')
  const key = part.get('id').value ?? part.get('number').value ?? name.text
  return [fileSource(String(key), title ?? '', '.html', text.text, foldersOf(part, names))]
}
