/** A stretch of a document's text that is found and shown as one. */
export interface Passage {
  /** `textOf(document).slice(start, end)`. */
  text: string
  /** Where it stands in the document's text, in UTF-16 units. */
  start: number
  end: number
  heading: string | null
  page: number | null
  /** The table row it begins with, from 1, and the one it ends with; null outside of tables. */
  row: number | null
  lastRow: number | null
}
