import type { ImportFile, Kind, PlannedSource } from '../contract.ts'
import { folderOf } from '../documents.ts'
import { agentFrom } from '../fields.ts'
import type { Ledger, Part } from '../ledger.ts'
import { objectOf } from '../../platform/objects.ts'

const ARTICLE_FIELDS = ['id', 'url', 'html_url', 'locale', 'created_at', 'updated_at', 'state', 'type', 'source_locale', 'edited_at']

const KEPT_PLACE = ['id', 'url', 'html_url', 'locale', 'created_at', 'updated_at', 'source_locale', 'type', 'icon']

/** Articles of a help center as exported by Zendesk and Intercom: a list, or a page of one. */
export const articles: Kind = {
  name: 'articles',
  title: 'Zendesk or Intercom articles',
  detect: (files) => files.some(({ value }) => listed(value) !== undefined),
  read (files, ledger) {
    const parts = files.flatMap(({ name, value }) => {
      const list = listed(value)
      return list === undefined ? [] : ledger.open(name, value).get(list).list()
    })
    const agent = agentFrom({ key: siteOf(parts), name: ledger.open('articles', {}).get('name') })
    const places = placesIn(files, ledger)
    return [{ ...agent, sources: parts.flatMap((part) => article(part, places)) }]
  }
}

/** The site of the articles. */
function siteOf (parts: Part[]): string {
  const address = parts.map((part) => part.get('html_url').text || part.get('url').text).find((one) => URL.canParse(one))
  return address === undefined ? 'articles' : new URL(address).host
}

/** Sections, categories and collections by kind and number: name and parent of each. */
type Places = Map<string, { name: Part, above: string }>

const LISTS = { sections: 'section', categories: 'category', collections: 'collection', data: 'collection' }

/** Containers of articles, if a file has them: beside the articles, or in a separate list. */
function placesIn (files: readonly ImportFile[], ledger: Ledger): Places {
  const places: Places = new Map()
  for (const { name, value } of files) {
    const file = ledger.open(name, value)
    for (const [list, kind] of Object.entries(LISTS)) {
      for (const part of file.get(list).list()) {
        const [id, called] = [part.get('id').label, part.get('name')]
        if (!id || !called.text || part.get('body').value !== undefined) continue
        const [section, category] = [part.get('parent_section_id').label, part.get('category_id').label]
        const [parent, collection] = [part.get('parent_id').label, part.get('collection_id').label]
        const above = [section && `section ${section}`, category && `category ${category}`].find(Boolean) ||
          `collection ${parent || collection}`
        places.set(`${kind} ${id}`, { name: called, above })
        for (const one of KEPT_PLACE) part.get(one).ignored('It only says how the folder was stored.')
      }
    }
  }
  return places
}

/** The names of an article's containers, from the top; at most 20 of them. */
function folderFor (part: Part, places: Places): string[] {
  const section = part.get('section_id').label
  let at = section ? `section ${section}` : `collection ${part.get('parent_id').label}`
  const folder: string[] = []
  for (let place = places.get(at); place && folder.length < 20; place = places.get(at)) {
    place.name.carried('sources', 'It is a folder.')
    folder.unshift(place.name.text)
    at = place.above
  }
  return folder
}

/** The property that holds the articles; undefined if there are none. */
function listed (value: unknown): string | undefined {
  return ['articles', 'data'].find((name) => {
    const list = objectOf(value)[name]
    return Array.isArray(list) && list.some((one) => {
      const { title, body } = objectOf(one)
      return typeof title === 'string' && typeof body === 'string'
    })
  })
}

function article (part: Part, places: Places): PlannedSource[] {
  const [title, body] = [part.get('title'), part.get('body')]
  const segment = part.get('user_segment_id').value ?? null
  if (part.get('draft').value === true || part.get('state').text === 'draft' || segment !== null) {
    part.dropped('It is a draft, or not for everybody. Add it to the agent separately if customers may read it.')
    return []
  }
  if (!title.text.trim() || !body.text.trim()) return []
  for (const name of ARTICLE_FIELDS) part.get(name).ignored('It only says how the article was stored.')
  if (part.get('name').text === title.text) part.get('name').ignored('It repeats the title.')
  const named = title.take('sources', 500)!
  body.carried('sources')
  const file = Buffer.from(body.text).toString('base64')
  const folder = folderOf(folderFor(part, places))
  return [{ key: part.get('id').label, type: 'docs', title: named, name: 'article.html', file, ...folder }]
}
