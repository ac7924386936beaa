import { blob, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'

/** The embeddings of one group of passages, its first passage being `first`; see src/search/vectors.sqlite.ts. */
export const passageVectors = sqliteTable('passage_vectors', {
  first: integer().primaryKey(),
  /** The model and how many numbers it was asked for: vectors of another one cannot be compared with these. */
  model: column().notNull(),
  /** The sign of each number, a bit each, padded to whole words of 32 bits. */
  signs: blob().notNull(),
  /** Each number in a byte, in units of the vector's own. */
  numbers: blob().notNull()
})
