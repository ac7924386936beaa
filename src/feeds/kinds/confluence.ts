import type { FeedReader, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { article, askJson, basic, type Asking } from './asking.ts'

/** Pages per list; more make its response too large. */
const PAGE = 50

/** Reads the pages of a Confluence space, in the cloud or self-hosted. */
export function confluenceReader (parts: Pick<Asking, 'fetch' | 'clock'>): FeedReader {
  return {
    async * list ({ config, secret, signal }: LookAt) {
      const base = config['url']!.replace(/\/$/, '')
      const user = config['user']
      const authorization = user === undefined ? `Bearer ${secret}` : basic(user, secret!)
      const asking = { ...parts, system: 'Confluence', headers: { authorization }, signal }
      const query = new URLSearchParams({
        cql: `space = "${config['space']}" and type = page order by id`, expand: 'body.view,version', limit: String(PAGE)
      })
      let next = `${base}/rest/api/content/search?${query}`
      while (next) {
        const answer = await askJson(asking, next)
        yield answer.list('results').filter((page) => page.text('id') !== '').map((page) => {
          const title = page.text('title')
          return {
            key: page.text('id'),
            title,
            url: page.text('_links', 'webui') ? base + page.text('_links', 'webui') : null,
            changedAt: page.text('version', 'number') || null,
            content: article(title, page.text('body', 'view', 'value'))
          }
        })
        next = nextOf(base, answer.text('_links', 'next'))
      }
      return { isWhole: true, cursor: null }
    },
    // The list includes everything.
    read: async ({ key }) => ({ failed: { code: 'unreadable', message: `The page ${key} came without its text.` } })
  }
}

/** The next part of the list, on the host that the token is for. */
function nextOf (base: string, next: string): string {
  if (!next) return ''
  const path = new URL(base).pathname.replace(/\/$/, '')
  const isBelow = next.startsWith('/') && !next.startsWith(`${path}/`)
  const address = new URL(isBelow ? path + next : next, base)
  if (address.origin !== new URL(base).origin) throw new FeedFault('unreadable', 'Confluence points to a list on another host.')
  return address.href
}
