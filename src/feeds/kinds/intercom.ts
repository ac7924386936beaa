import type { FeedReader, LookAt } from '../contract.ts'
import { article, askJson, type Asking } from './asking.ts'

const HOSTS: Record<string, string> = {
  us: 'https://api.intercom.io', eu: 'https://api.eu.intercom.io', au: 'https://api.au.intercom.io'
}
const PAGE = 50

/** Reads the published articles of Intercom. `api`: another base URL, in tests. */
export function intercomReader ({ api, ...parts }: Pick<Asking, 'fetch' | 'clock'> & { api?: string }): FeedReader {
  return {
    async * list ({ config, secret, signal }: LookAt) {
      const headers = { authorization: `Bearer ${secret}`, 'intercom-version': '2.11' }
      const asking = { ...parts, system: 'Intercom', headers, signal }
      const base = api ?? HOSTS[config['region'] ?? 'us']!
      for (let page = 1, pages = 1; page <= pages; page++) {
        const answer = await askJson(asking, `${base}/articles?page=${page}&per_page=${PAGE}`)
        yield answer.list('data')
          .filter((one) => one.text('id') !== '' && one.is('published', 'state'))
          .map((one) => {
            const title = one.text('title')
            return {
              key: one.text('id'),
              title,
              url: one.text('url') || null,
              changedAt: one.text('updated_at') || null,
              content: article(title, one.text('body'))
            }
          })
        pages = Number(answer.text('pages', 'total_pages') || NaN)
        // A list that does not state its length may be incomplete.
        if (!(pages >= 0)) return { isWhole: false, cursor: null }
        if (answer.list('data').length === 0 && page < pages) return { isWhole: false, cursor: null }
      }
      return { isWhole: true, cursor: null }
    },
    read: async ({ key }) => ({ failed: { code: 'unreadable', message: `The article ${key} came without its text.` } })
  }
}
