import { knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import { LISTED_TEXT, LISTED_TEXTS, SHOWN_TEXT, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { shortened } from '../platform/errors.ts'
import { headOf, openHead } from '../platform/storage/sqlite/blobs.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'

/** Characters of a text that a title is derived from. */
const READ_FOR_TITLE = 400
const LONGEST_TITLE = 80

const table = rowsOf(knowledgeSources, ['key'])

/**
 * Reads sources as records: `select ${wholeSources.columns} from knowledge_sources`. A text is stored only once, as a
 * blob, so that nothing of it is left once that is swept: a short text is read from there, and the title of an untitled
 * text is its first line. `shows` is the SQL condition for a source's text being short enough to be shown. No other
 * text is read, except the beginning of an untitled one.
 */
function sourceRows (shows: string) {
  return {
    columns: `${table.columns}, ${shows}, ${headOf('text_blob', `type = 'text' and (title = '' or ${shows})`)}`,
    record (values: unknown[]): KnowledgeSourceRecord {
      const row = table.record(values)
      const [isShown, ...sealed] = values.slice(-4) as [number, ...Parameters<typeof openHead>[1]]
      const head = openHead(row.text_blob, sealed)
      return {
        ...row, title: row.title || titleOf(head ?? ''), plain_text: row.type === 'text' && isShown ? head : null
      }
    }
  }
}

/** Sources with their texts, if these are not long. */
export const wholeSources = sourceRows(`cast(metadata ->> 'no_of_chars' as bigint) <= ${SHOWN_TEXT}`)

/** Sources as an agent and a list show them: without their texts, except the shortest. */
export const listedSources = sourceRows(`total_training_usage_bytes <= ${LISTED_TEXT}`)

/** The sources of one agent in a list: with texts as long as all of them together stay within LISTED_TEXTS bytes. */
export function withFirstTexts (sources: KnowledgeSourceRecord[]): KnowledgeSourceRecord[] {
  let bytes = 0
  return sources.map((source) => {
    if (source.plain_text === null) return source
    bytes += Buffer.byteLength(source.plain_text)
    return bytes <= LISTED_TEXTS ? source : { ...source, plain_text: null }
  })
}

/** A text's first line as a title; for a heading, without its marks. */
function titleOf (text: string): string {
  const line = text.trimStart().slice(0, READ_FOR_TITLE).split('\n')[0]!.replace(/^#{1,6}(?=\s)/, '').trim()
  return shortened(line, LONGEST_TITLE) || 'Text'
}
