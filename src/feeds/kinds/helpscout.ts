import type { FeedReader, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { article, askJson, basic, type Asking, type Json } from './asking.ts'

const API = 'https://docsapi.helpscout.net/v1'

/** Reads the published articles of Help Scout Docs. `api`: another base URL, in tests. */
export function helpscoutReader ({ api = API, ...parts }: Pick<Asking, 'fetch' | 'clock'> & { api?: string }): FeedReader {
  // The API key is sent as a user without a password.
  const askingOf = ({ secret, signal }: LookAt): Asking =>
    ({ ...parts, system: 'Help Scout', headers: { authorization: basic(secret!, 'X') }, signal })

  /** Every page of a list. Returns whether the list was complete. */
  async function * pagesOf (look: LookAt, path: string, name: string): AsyncGenerator<Json[], boolean> {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = (await askJson(askingOf(look), `${api}/${path}${path.includes('?') ? '&' : '?'}page=${page}`)).at(name)
      yield answer.list('items')
      pages = Number(answer.text('pages') || NaN)
      if (!(pages >= 0) || (answer.list('items').length === 0 && page < pages)) return false
    }
    return true
  }

  async function * list (look: LookAt) {
    const collections: string[] = []
    let isWhole = true
    if (look.config['collection'] !== undefined) collections.push(look.config['collection'])
    else {
      const all = pagesOf(look, 'collections', 'collections')
      for (let next = await all.next(); ; next = await all.next()) {
        if (next.done) {
          isWhole &&= next.value
          break
        }
        collections.push(...next.value.map((one) => one.text('id')).filter(Boolean))
      }
    }
    for (const collection of collections) {
      const all = pagesOf(look, `collections/${encodeURIComponent(collection)}/articles?status=published`, 'articles')
      for (let next = await all.next(); ; next = await all.next()) {
        if (next.done) {
          isWhole &&= next.value
          break
        }
        yield next.value.filter((one) => one.text('id') !== '' && !one.is('notpublished', 'status')).map((one) => ({
          key: one.text('id'),
          title: one.text('name'),
          url: one.text('publicUrl') || null,
          changedAt: one.text('updatedAt') || one.text('createdAt') || null
        }))
      }
    }
    return { isWhole, cursor: null }
  }

  return {
    list,
    async read ({ key, title }, look) {
      try {
        const answer = await askJson(askingOf(look), `${api}/articles/${encodeURIComponent(key)}`)
        return { content: article(title, answer.text('article', 'text')) }
      } catch (error) {
        if (error instanceof FeedFault && error.code === 'not_found') return { failed: error }
        throw error
      }
    }
  }
}
