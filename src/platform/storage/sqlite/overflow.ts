/*
 * Secrets that were destroyed must be nowhere in the file. `secure_delete` makes SQLite overwrite a row where it stood,
 * but rows of one page are moved together as others come and go, and the copies that moving leaves behind are not
 * overwritten by anybody. What does not fit into the page of its table lies in overflow pages, which belong to one row,
 * never move, and are filled with zeros when they are given back. So secrets are kept there. How a row is divided:
 * https://www.sqlite.org/fileformat2.html#b_tree_pages (U = 4096, M = 489).
 */

/** Bytes put before a value: more than SQLite keeps of it in the page of its table. */
export const FRONT = 512
const OVERFLOW_PAGE = 4092
/**
 * With a value of so many bytes, and a whole number of overflow pages more, only the least stays in the page of the
 * table.
 */
const LEAST = 481

/**
 * How many bytes must follow a value of so many bytes, which has FRONT bytes before it, for SQLite to keep all of it in
 * overflow pages. The value is the last column of its row, and the others are integers or NULL.
 */
export function paddingFor (bytes: number): number {
  const pages = Math.ceil((FRONT + bytes - LEAST) / OVERFLOW_PAGE)
  return LEAST + pages * OVERFLOW_PAGE - FRONT - bytes
}
