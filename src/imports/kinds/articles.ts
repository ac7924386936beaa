import type { Kind, PlannedSource } from '../contract.ts'
import { agentFrom } from '../fields.ts'
import type { Part } from '../ledger.ts'

const KEPT = ['id', 'url', 'html_url', 'locale', 'created_at', 'updated_at', 'state', 'type', 'source_locale', 'edited_at']

/** Articles of a help center as Zendesk and Intercom tell them: a list, or a page of one. */
export const articles: Kind = {
  name: 'articles',
  title: 'Zendesk or Intercom articles',
  detect: (files) => files.some(({ value }) => listed(value) !== undefined),
  read (files, ledger) {
    const parts = files.flatMap(({ name, value }) => {
      const list = listed(value)
      return list === undefined ? [] : ledger.open(name, value).get(list).list()
    })
    const agent = agentFrom({ key: 'articles', name: ledger.open('articles', {}).get('name') })
    return [{ ...agent, sources: parts.flatMap(article) }]
  }
}

/** Under which name the articles stand; undefined where there are none. */
function listed (value: unknown): string | undefined {
  return ['articles', 'data'].find((name) => {
    const list = (Object(value) as Record<string, unknown>)[name]
    return Array.isArray(list) && list.some((one) => {
      const { title, body } = Object(one) as { title?: unknown, body?: unknown }
      return typeof title === 'string' && typeof body === 'string'
    })
  })
}

function article (part: Part): PlannedSource[] {
  const [title, body] = [part.get('title'), part.get('body')]
  const segment = part.get('user_segment_id').value ?? null
  if (part.get('draft').value === true || part.get('state').text === 'draft' || segment !== null) {
    part.dropped('It is a draft, or not for everybody. Add it to the agent by itself if customers may read it.')
    return []
  }
  if (!title.text.trim() || !body.text.trim()) return []
  for (const name of KEPT) part.get(name).ignored('It says only how the article was kept.')
  if (part.get('name').text === title.text) part.get('name').ignored('It is the title once more.')
  const named = title.take('sources', 500)!
  body.carried('sources')
  const file = Buffer.from(body.text).toString('base64')
  return [{ key: part.get('id').label, type: 'docs', title: named, name: 'article.html', file }]
}
