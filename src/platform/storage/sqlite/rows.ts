import { getTableColumns, type Column } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * Turns the rows of a table into records and back, for statements that are prepared once and run often: building a
 * query and mapping its rows through the ORM costs several times what SQLite itself needs. The table remains the only
 * source of names, order and types.
 */
interface Rows<T extends SQLiteTable> {
  /** The columns to select, in the order that `record` expects. */
  columns: string
  /** One `?` per column. */
  placeholders: string
  /** Sets every column from the row that could not be inserted: what follows `do update set`. */
  updates: string
  /** One `= ?` per column: what follows `update … set`. */
  settings: string
  /** The record of one row, from the values of `columns`; more values may follow. */
  record (values: unknown[]): T['$inferSelect']
  /**
   * The values of a record in the order of `columns`; a property it does not have becomes null, so that SQLite assigns
   * the id.
   */
  values (record: T['$inferInsert']): unknown[]
}

/** The rows of this table, `without` the columns of these properties. */
export function rowsOf<T extends SQLiteTable> (table: T, without: readonly (keyof T['$inferSelect'])[] = []): Rows<T> {
  const columns: Array<[string, Column]> = Object.entries(getTableColumns(table))
    .filter(([property]) => !without.includes(property))
  return {
    columns: columns.map(([, { name }]) => `"${name}"`).join(', '),
    placeholders: columns.map(() => '?').join(', '),
    updates: columns.map(([, { name }]) => `"${name}" = excluded."${name}"`).join(', '),
    settings: columns.map(([, { name }]) => `"${name}" = ?`).join(', '),
    record (values) {
      const record: Record<string, unknown> = {}
      for (let i = 0; i < columns.length; i++) {
        const [property, column] = columns[i]!
        const value = values[i]
        record[property] = value === null ? null : column.mapFromDriverValue(value)
      }
      return record
    },
    values: (record) => columns.map(([property, column]) => {
      const value = (record as Record<string, unknown>)[property] ?? null
      return value === null ? null : column.mapToDriverValue(value)
    })
  }
}
