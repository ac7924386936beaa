import type { Work } from './work.ts'

/** What is to be done once a transaction is committed, collected while its pieces write. */
export interface Afterwards {
  /** See `Database.afterwards`. */
  afterwards (task: () => void): Work<void>
  /** Before a piece writes; the answer takes back what that piece has asked for. */
  begin (): () => void
  /** Nothing of it was committed. */
  drop (): void
  /** All of it is committed: does what was asked for, in order. */
  committed (): void
}

/** See Afterwards. `isWriting`: whether a transaction is open. */
export function afterwardsIn (isWriting: () => boolean): Afterwards {
  let tasks: Array<() => void> = []
  return {
    * afterwards (task) {
      if (!isWriting()) throw new Error('Only what is committed has something that comes afterwards')
      tasks.push(task)
    },
    begin () {
      const before = tasks.length
      return () => { tasks.length = before }
    },
    drop () { tasks = [] },
    committed () { for (const task of tasks.splice(0)) task() }
  }
}
