import type { Work } from './work.ts'

/** Tasks for after the commit of a transaction, collected while its pieces write. */
export interface Afterwards {
  /** See `Database.afterwards`. */
  afterwards (task: (isAwaited: boolean) => void): Work<void>
  /**
   * Called before a piece writes; the returned function drops the tasks that the piece has added. `isAwaited`: whether
   * its caller still waits for the result.
   */
  begin (isAwaited?: () => boolean): () => void
  /** Nothing was committed. */
  drop (): void
  /** Everything is committed: runs the tasks, in order. */
  committed (): void
}

/** See Afterwards. `isWriting`: whether a transaction is open. */
export function afterwardsIn (isWriting: () => boolean): Afterwards {
  let tasks: Array<() => void> = []
  let isAwaited = () => true
  return {
    * afterwards (task) {
      if (!isWriting()) throw new Error('Only what is committed has something that comes afterwards')
      const isStill = isAwaited
      tasks.push(() => task(isStill()))
    },
    begin (isStill = () => true) {
      isAwaited = isStill
      const before = tasks.length
      return () => { tasks.length = before }
    },
    drop () { tasks = [] },
    committed () { for (const task of tasks.splice(0)) task() }
  }
}
