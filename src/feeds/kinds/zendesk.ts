import type { FeedReader, Item, LookAt } from '../contract.ts'
import { CursorExpired, FeedFault } from '../fault.ts'
import { article, askJson, basic, type Asking, type Json } from './asking.ts'

/** Milliseconds after which all articles are listed again: the list of changes does not include removals. */
const WHOLE_MS = 24 * 3_600_000

/** Where the list of changes continues, and when all was last listed; in seconds and milliseconds since 1970. */
interface Cursor { start: number, whole: number }

/** Reads the published articles of a Zendesk help centre: all once a day, otherwise those that have changed. */
export function zendeskReader (parts: Pick<Asking, 'fetch' | 'clock'>): FeedReader {
  return { list, read: async ({ key }) => ({ failed: { code: 'unreadable', message: `The article ${key} came without its text.` } }) }

  async function * list (look: LookAt) {
    const { config, secret, signal } = look
    const base = `${config['url']!.replace(/\/$/, '')}/api/v2/help_center`
    const headers: Record<string, string> = secret === null ? {} : { authorization: basic(`${config['user'] ?? ''}/token`, secret) }
    const asking = { ...parts, system: 'Zendesk', headers, signal }
    const now = parts.clock.micros() / 1000
    const cursor = cursorOf(look.cursor)
    // Changes are listed only with a token; a cursor from a clock that was ahead is useless.
    const isDelta = secret !== null && cursor !== undefined && now >= cursor.whole && now - cursor.whole < WHOLE_MS
    if (isDelta) return yield * changed(asking, base, cursor, config['locale'])
    const locale = config['locale'] === undefined ? '' : `/${config['locale'].toLowerCase()}`
    let next = `${base}${locale}/articles.json?${new URLSearchParams({ 'page[size]': '100' })}`
    while (next) {
      const answer = await askJson(asking, next)
      yield itemsOf(answer)
      next = answer.is(true, 'meta', 'has_more') ? sameHost(base, answer.text('links', 'next')) : ''
    }
    return { isWhole: true, cursor: JSON.stringify({ start: Math.floor(now / 1000), whole: now } satisfies Cursor) }
  }

  async function * changed (asking: Asking, base: string, cursor: Cursor, locale: string | undefined) {
    let { start } = cursor
    let next = `${base}/incremental/articles.json?start_time=${start}`
    while (next) {
      const answer = await askJson(asking, next).catch((error) => {
        // Too old a cursor is rejected.
        if (error instanceof FeedFault && (error.code === 'unreadable' || error.code === 'not_found')) throw new CursorExpired()
        throw error
      })
      yield itemsOf(answer, locale)
      const end = Number(answer.text('end_time'))
      // The last page says where the next list begins, and links to no page but itself.
      if (!(end > start) || answer.list('articles').length === 0) break
      start = end
      next = sameHost(base, answer.text('next_page'))
    }
    return { isWhole: false, isDelta: true, cursor: JSON.stringify({ ...cursor, start } satisfies Cursor) }
  }
}

/** The articles of a list; of a list of changes only those in the wanted language. */
function itemsOf (answer: Json, locale?: string): Item[] {
  const isWanted = (one: Json) => one.text('id') !== '' && !one.is(true, 'draft') &&
    (locale === undefined || one.text('locale').toLowerCase() === locale.toLowerCase())
  return answer.list('articles').filter(isWanted).map((one) => {
    const title = one.text('title')
    return {
      key: one.text('id'),
      title,
      url: one.text('html_url') || null,
      changedAt: one.text('updated_at') || null,
      content: article(title, one.text('body'))
    }
  })
}

function cursorOf (text: string | null): Cursor | undefined {
  return text === null ? undefined : JSON.parse(text) as Cursor
}

/** The next part of a list, on the host that the token is for. */
function sameHost (base: string, next: string): string {
  if (!next || new URL(next, base).origin === new URL(base).origin) return next
  throw new FeedFault('unreadable', 'Zendesk points to a list on another host.')
}
