import type BetterSqlite3 from 'better-sqlite3'

/** Milliseconds for which long work holds the event loop, then others get a turn. */
const TURN_MS = 8

/** The usual connection to a file, and one for long work, which is used while a part of that runs. */
export interface Connections {
  /** The connection in use. */
  now (): BetterSqlite3.Database
  /** Prepares a statement for the connection in use. */
  prepared<S> (prepare: (raw: BetterSqlite3.Database) => S): () => S
  /** Runs a part of long work. */
  aside<T> (run: () => T): T
  /** Whether the running part of long work is to end here; after true it goes on for as long again. */
  isPauseDue (): boolean
  /** The connection of long work, opened when first asked for. */
  long (): BetterSqlite3.Database
  /** Closes both. */
  close (): void
}

/** See Connections. */
export function connectionsOf (
  usual: BetterSqlite3.Database, open: () => BetterSqlite3.Database = () => usual
): Connections {
  let long: BetterSqlite3.Database | undefined
  let isAside = false
  let until = 0

  const now = () => isAside ? long! : usual

  return {
    now,
    prepared (prepare) {
      const [first, isForLong] = [prepare(now()), isAside]
      let other: ReturnType<typeof prepare> | undefined
      return () => {
        if (isAside === isForLong) return first
        other ??= prepare(now())
        return other
      }
    },
    aside (run) {
      isAside = true
      until = performance.now() + TURN_MS
      try {
        return run()
      } finally {
        isAside = false
      }
    },
    isPauseDue () {
      if (!isAside || performance.now() < until) return false
      until = performance.now() + TURN_MS
      return true
    },
    long () {
      long ??= open()
      return long
    },
    close () {
      long?.close()
      usual.close()
    }
  }
}
