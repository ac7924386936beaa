import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import path from 'node:path'
import { syncDirectory } from '../../../files.ts'

/**
 * Brings the write-ahead log of a data file to the disk. SQLite would do it inside the commit and block the event loop
 * for as long as the disk takes, which is half a second on a slow one; this waits beside the loop.
 */
export interface LogSync {
  /** Calls back once everything written to the log before is on the disk, with an error if the disk failed. */
  later (done: (error: unknown) => void): void
  /** The same, blocking. Throws if the disk failed. */
  now (): void
  close (): void
}

/** For a file whose connection stays open and has begun its log, which is then never replaced by another. */
export function logSyncOf (file: string): LogSync {
  // A system reports an error of the disk once to each of those who have the file open: one that `later` has been told
  // of and has not passed on yet must not be missed by `now`.
  const [fd, another] = [openSync(`${file}-wal`, 'r+'), openSync(`${file}-wal`, 'r+')]
  // SQLite made the log, and would bring its name to the disk when it syncs it first.
  syncDirectory(path.dirname(file))
  return {
    later (done) { fdatasync(fd, done) },
    now: () => fdatasyncSync(another),
    close () {
      closeSync(fd)
      closeSync(another)
    }
  }
}

/** What becomes of a commit: the disk has kept it, or failed. */
interface Ending { end: () => void, fail: (error: unknown) => void }

/** Ends each commit once it is on the disk, which none waits for without `log`. Meanwhile no other may be made. */
export function commitsOn (log: LogSync | undefined, resume: () => void) {
  let syncing: Ending | undefined

  function settle (one: Ending, error: unknown) {
    syncing = undefined
    if (error) one.fail(error)
    else one.end()
  }

  return {
    areSyncing: () => syncing !== undefined,
    /** `hasChanged`: whether there is anything that the disk has to keep. `resume` is called when it has. */
    end (hasChanged: boolean, one: Ending) {
      if (!log || !hasChanged) return one.end()
      syncing = one
      log.later((error) => {
        if (syncing !== one) return
        settle(one, error)
        resume()
      })
    },
    /** Waits for the disk, blocking: at the end, when nobody else is waiting. */
    syncNow () {
      if (!syncing) return
      let failure: unknown
      try {
        log?.now()
      } catch (error) {
        failure = error
      }
      settle(syncing, failure)
    }
  }
}
