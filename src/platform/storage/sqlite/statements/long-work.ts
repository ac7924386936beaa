import { PAUSE, type Work } from '../../work.ts'
import { refusalOf, unavailable } from '../connect.ts'
import type { Connections } from './connections.ts'

/** How long one piece may take, with all that others do meanwhile. */
const MOST_MS = 30_000

/** Long work that is to be written in one transaction. */
export interface LongPiece {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  since: number
}

interface Parts<P> {
  connections: Connections
  /** Runs a part of the work, inside the transaction. */
  writing: <T>(run: () => T) => T
  /** Before the work of a piece, inside the transaction. */
  begun: (piece: P) => void
  /** Others have had a turn: called before the work goes on. */
  resumed: () => void
  /** A piece is committed, but may not be on the disk yet. `began`: when it began. */
  committed: (piece: P, value: unknown, began: number) => void
  /** Nothing of it was written. */
  undone: () => void
}

/** Work that is written in one transaction on a connection of its own, a few milliseconds at a time. */
export interface LongWork<P> {
  /** Begins a piece. Throws if another process holds the file. */
  begin (piece: P): void
  isRunning (): boolean
  /** Milliseconds until the next piece may begin: for as long as one took, only others write after it. */
  restsFor (): number
  /** Undoes what is running and refuses it. */
  abort (): void
}

/** See LongWork. `parts.undone` or `parts.committed` is called once for each piece. */
export function longWorkOn<P extends LongPiece> (
  { connections, writing, begun, resumed, committed, undone }: Parts<P>
): LongWork<P> {
  let stop: ((error: unknown) => void) | undefined
  let restsUntil = 0

  function begin (piece: P) {
    const { work, reject } = piece
    const raw = connections.long()
    raw.exec('BEGIN IMMEDIATE')
    const began = performance.now()
    const end = () => {
      stop = undefined
      restsUntil = 2 * performance.now() - began
    }
    stop = (error) => {
      end()
      if (raw.inTransaction) raw.exec('ROLLBACK')
      undone()
      reject(refusalOf(error))
    }
    let steps: Iterator<unknown> | undefined
    goOn()

    function goOn () {
      let value: unknown
      try {
        if (performance.now() - began > MOST_MS) throw unavailable('This took too long, so nothing of it was done')
        const taken = writing(() => connections.aside(() => {
          if (steps === undefined) begun(piece)
          steps ??= work()[Symbol.iterator]()
          return steps.next()
        }))
        if (!taken.done) {
          if (taken.value !== PAUSE) throw new Error('SQLite is asked for nothing over a network')
          setImmediate(() => {
            if (stop === undefined) return
            resumed()
            goOn()
          })
          return
        }
        value = taken.value
        raw.exec('COMMIT')
      } catch (error) {
        stop?.(error)
        return
      }
      end()
      committed(piece, value, began)
    }
  }

  return {
    begin,
    isRunning: () => stop !== undefined,
    restsFor: () => Math.max(0, restsUntil - performance.now()),
    abort: () => stop?.(unavailable('The server is stopping'))
  }
}
