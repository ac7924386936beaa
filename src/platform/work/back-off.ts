/**
 * How long to wait before the next attempt: `firstMs` after the first, twice as long after each further one, never over
 * `longestMs`.
 */
export function backOffMs (
  attempt: number, { firstMs, longestMs = 3_600_000 }: { firstMs: number, longestMs?: number }
): number {
  return Math.min(firstMs * 2 ** (attempt - 1), longestMs)
}
