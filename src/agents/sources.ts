import { knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import { SHOWN_TEXT, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { textHead } from '../platform/storage/sqlite/blobs.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'

/** Characters of a text of which a title is made. */
const READ_FOR_TITLE = 400
const LONGEST_TITLE = 80

const table = rowsOf(knowledgeSources)

/**
 * Reads sources as records: `select ${sourceRows.columns} from knowledge_sources`. The words of a text are kept once, as a blob, so that nothing of them is
 * left once that is swept: a short text is read from there, and the title of a text that was given none is its first line.
 */
export const sourceRows = {
  columns: `${table.columns}, case type when 'text' then
    ${textHead('text_blob', `case when metadata ->> 'no_of_chars' <= ${SHOWN_TEXT} then ${SHOWN_TEXT} else ${READ_FOR_TITLE} end`)} end`,
  record (values: unknown[]): KnowledgeSourceRecord {
    const row = table.record(values)
    const head = values.at(-1) as string | null
    const isShown = row.type === 'text' && row.metadata.no_of_chars! <= SHOWN_TEXT
    return { ...row, title: row.title || titleOf(head ?? ''), plain_text: isShown ? head : null }
  }
}

/** A text's first line, as a title. */
function titleOf (text: string): string {
  const line = text.trimStart().slice(0, READ_FOR_TITLE).split('\n')[0]!.trim()
  return (line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1).toWellFormed()}…` : line) || 'Text'
}
