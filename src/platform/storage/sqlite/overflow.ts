/*
 * Secrets that were destroyed must be nowhere in the file. `secure_delete` makes SQLite overwrite a row in its place,
 * but rows of one page are moved together as others come and go, and the copies that moving leaves behind are never
 * overwritten. What does not fit into the page of its table is in overflow pages, which belong to one row, never move,
 * and are filled with zeros when they are freed. So secrets are stored there. How a row is divided:
 * https://www.sqlite.org/fileformat2.html#b_tree_pages (U = 4096, M = 489).
 */

/** Bytes put before a value: more than SQLite stores of it in the page of its table. */
export const FRONT = 512
const OVERFLOW_PAGE = 4092
/**
 * With a value of this many bytes, and whole overflow pages beyond, only the minimum stays in the page of the table.
 */
const LEAST = 481

/**
 * How many bytes must follow a value of the given size, which has FRONT bytes before it, for SQLite to store all of it
 * in overflow pages. The value is the last column of its row, and the others are integers or NULL.
 */
export function paddingFor (bytes: number): number {
  const pages = Math.ceil((FRONT + bytes - LEAST) / OVERFLOW_PAGE)
  return LEAST + pages * OVERFLOW_PAGE - FRONT - bytes
}
