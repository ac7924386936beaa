import type { FeedReader, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { article, askJson, type Asking, type Json } from './asking.ts'
import { ownProperty } from '../../platform/objects.ts'

const API = 'https://api.notion.com/v1'
/** Depth of nested blocks that are read, and blocks per page in total. */
const MOST_DEEP = 6
const MOST_BLOCKS = 5000

/** Reads the pages of Notion that are shared with an integration. `api`: another base URL, in tests. */
export function notionReader ({ api = API, ...parts }: Pick<Asking, 'fetch' | 'clock'> & { api?: string }): FeedReader {
  const askingOf = ({ secret, signal }: LookAt): Asking => ({
    ...parts, system: 'Notion', headers: { authorization: `Bearer ${secret}`, 'notion-version': '2022-06-28' }, signal
  })

  async function * list (look: LookAt) {
    let cursor = ''
    do {
      const body = JSON.stringify({
        filter: { property: 'object', value: 'page' }, page_size: 100, ...(cursor && { start_cursor: cursor })
      })
      const answer = await askJson(askingOf(look), `${api}/search`, {
        method: 'POST', body, headers: { 'content-type': 'application/json' }
      })
      yield answer.list('results')
        .filter((page) => page.text('id') !== '' && !page.is(true, 'archived') && !page.is(true, 'in_trash'))
        .map((page) => ({
          key: page.text('id'),
          title: titleOf(page),
          url: page.text('url') || null,
          changedAt: page.text('last_edited_time') || null
        }))
      cursor = answer.is(true, 'has_more') ? answer.text('next_cursor') : ''
      if (!cursor && answer.is(true, 'has_more')) return { isWhole: false, cursor: null }
    } while (cursor)
    return { isWhole: true, cursor: null }
  }

  /** The content of a block, as HTML. `left`: blocks of the page that may still be read. */
  async function within (look: LookAt, id: string, depth: number, left: { blocks: number }): Promise<string> {
    let html = ''
    let cursor = ''
    do {
      const query = new URLSearchParams({ page_size: '100', ...(cursor && { start_cursor: cursor }) })
      const answer = await askJson(askingOf(look), `${api}/blocks/${encodeURIComponent(id)}/children?${query}`)
      for (const block of answer.list('results')) {
        if (left.blocks-- <= 0) return html
        const kind = block.text('type')
        // Pages within it are pages of their own.
        const isFollowed = block.is(true, 'has_children') && depth < MOST_DEEP && !/^child_/.test(kind)
        html += blockOf(block, kind, isFollowed ? await within(look, block.text('id'), depth + 1, left) : '')
      }
      cursor = answer.is(true, 'has_more') ? answer.text('next_cursor') : ''
    } while (cursor)
    return html
  }

  return {
    list,
    async read ({ key, title }, look) {
      try {
        return { content: article(title, await within(look, key, 0, { blocks: MOST_BLOCKS })) }
      } catch (error) {
        if (error instanceof FeedFault && error.code === 'not_found') return { failed: error }
        throw error
      }
    }
  }
}

/** The one property of a page that is its title, whatever it is called. */
function titleOf (page: Json): string {
  const properties = page.at('properties')
  for (const name of properties.names()) {
    if (properties.is('title', name, 'type')) return plainOf(properties.list(name, 'title'))
  }
  return ''
}

const plainOf = (texts: Json[]) => texts.map((one) => one.text('plain_text')).join('')

const escaped = (text: string) => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** HTML elements by kind of block; everything else is a paragraph. */
const ELEMENTS: Record<string, string> = {
  heading_1: 'h1',
  heading_2: 'h2',
  heading_3: 'h3',
  bulleted_list_item: 'li',
  numbered_list_item: 'li',
  to_do: 'li',
  quote: 'blockquote',
  code: 'pre',
  table: 'table'
}

function blockOf (block: Json, kind: string, inside: string): string {
  if (kind === 'table_row') {
    const cells = block.list(kind, 'cells').map((cell) => `<td>${escaped(plainOf(cell.list()))}</td>`)
    return `<tr>${cells.join('')}</tr>`
  }
  const text = escaped(plainOf([...block.list(kind, 'rich_text'), ...block.list(kind, 'caption')]))
  const element = ownProperty(ELEMENTS, kind) ?? 'p'
  return /^h\d$/.test(element) ? `<${element}>${text}</${element}>${inside}` : `<${element}>${text}${inside}</${element}>`
}
