import { watch, type FSWatcher } from 'node:fs'
import type { LookStore } from '../store.ts'

/** Milliseconds of quiet after which a folder that has changed is looked at. */
const QUIET_MS = 2000

/**
 * Watches folders, so that what changes in them is looked at soon. It only hints: what it misses, or cannot watch, the
 * next look finds.
 */
export interface Watching {
  /** Watches exactly the folders that feeds name now. */
  follow (): Promise<void>
  close (): void
}

/** See Watching. `onFault` is called with unexpected errors. */
export function watching (store: Pick<LookStore, 'folders' | 'hint'>, onFault: (error: unknown) => void): Watching {
  const watched = new Map<number, { path: string, watcher: FSWatcher | undefined, timer: NodeJS.Timeout | undefined }>()
  let isOpen = true

  function drop (feed: number) {
    const one = watched.get(feed)
    clearTimeout(one?.timer)
    one?.watcher?.close()
    watched.delete(feed)
  }

  function hintSoon (feed: number, owner: number) {
    const one = watched.get(feed)
    if (!one || !isOpen) return
    clearTimeout(one.timer)
    one.timer = setTimeout(() => {
      store.hint(owner, feed).then((isHeard) => { if (!isHeard) hintSoon(feed, owner) }, onFault)
    }, QUIET_MS)
    one.timer.unref()
  }

  function begin (feed: number, owner: number, path: string) {
    const one = { path, watcher: undefined as FSWatcher | undefined, timer: undefined as NodeJS.Timeout | undefined }
    watched.set(feed, one)
    try {
      one.watcher = watch(path, { recursive: true, persistent: false }, () => hintSoon(feed, owner))
      // If a folder vanishes, or the watch limit is reached, looks go on without hints.
      one.watcher.on('error', () => one.watcher?.close())
    } catch {
      one.watcher = undefined
    }
  }

  return {
    async follow () {
      const wanted = new Map((await store.folders()).map((one) => [one.feed, one]))
      for (const [feed, { path }] of watched) if (!isOpen || wanted.get(feed)?.path !== path) drop(feed)
      if (!isOpen) return
      for (const [feed, { owner, path }] of wanted) if (!watched.has(feed)) begin(feed, owner, path)
    },
    close () {
      isOpen = false
      for (const feed of [...watched.keys()]) drop(feed)
    }
  }
}
