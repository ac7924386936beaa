import { constants } from 'node:fs'
import { lstat, open, opendir, realpath, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { formatOfName } from '../../reading/formats.ts'
import type { FeedReader, Item, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { isWithin } from '../within.ts'
import { errorCode } from '../../platform/errors.ts'

/** Milliseconds without a change before a file counts as written. */
export const QUIET_MS = 2000
/** Milliseconds that the clock of the files may be ahead of ours. */
const AHEAD_MS = 60_000
/** Depth of nested folders that are followed. */
const MOST_DEEP = 32
/** Files that are listed at a time. */
const AT_A_TIME = 200

/** The version of a file: any write changes one of these. */
interface Stamp { size: bigint, mtimeNs: bigint, ctimeNs: bigint, ino: bigint }

const stampOf = ({ size, mtimeNs, ctimeNs, ino }: Stamp) => [size, mtimeNs, ctimeNs, ino].join('-')

/** Whether a file has not been written to for a while. A time well ahead of ours comes from another clock. */
export function isQuiet (changedMs: number, nowMs: number): boolean {
  return nowMs - changedMs >= QUIET_MS || changedMs - nowMs > AHEAD_MS
}

/**
 * Reads folders on the server, with those in them. Symlinks that lead out of the folder, and what is hidden or being
 * written, are skipped.
 */
export function folderReader ({ folders, clock, fileLimit }: {
  folders: readonly string[], clock: Clock, fileLimit: number
}): FeedReader {
  return { list, read }

  async function * list ({ config, signal }: LookAt) {
    const root = await rootOf(config['path']!)
    let items: Item[] = []
    for await (const item of files(root, root, 0, signal)) {
      if (items.push(item) < AT_A_TIME) continue
      yield items
      items = []
    }
    yield items
    return { isWhole: true, cursor: null }
  }

  /** The real path of the folder. A missing folder is a fault, not an empty folder. */
  async function rootOf (place: string): Promise<string> {
    const root = await realpath(place).catch(() => undefined)
    if (root === undefined) {
      throw new FeedFault('unavailable', `There is no folder ${place} now. What was learnt from it stays.`)
    }
    const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
    if (!isWithin(allowed, root)) {
      throw new FeedFault('not_allowed', `${place} is not in a folder that may be watched. Ask the operator to add it to AGENTHALL_FOLDERS.`)
    }
    return root
  }

  async function * files (root: string, folder: string, depth: number, signal: AbortSignal): AsyncGenerator<Item> {
    signal.throwIfAborted()
    if (depth > MOST_DEEP) return
    // A folder that cannot be read ends the look: its content was not removed.
    const entries = await opendir(folder).catch((error) => { throw unreadable(folder, error) })
    for await (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name.startsWith('~$')) continue
      const place = path.join(folder, entry.name)
      if (entry.isDirectory()) {
        yield * files(root, place, depth + 1, signal)
        continue
      }
      if (formatOfName(entry.name) === undefined || !(entry.isFile() || entry.isSymbolicLink())) continue
      const item = await fileAt(root, place)
      if (item) yield item
    }
  }

  async function fileAt (root: string, place: string): Promise<Item | undefined> {
    // Removed since the folder was read, or a dangling link.
    const real = await realpath(place).catch(() => undefined)
    if (real === undefined || !isWithin([root], real)) return undefined
    const stats = await lstat(real, { bigint: true }).catch(() => undefined)
    if (!stats?.isFile()) return undefined
    const key = path.relative(root, place)
    return { key, title: path.basename(key), url: null, changedAt: stampOf(stats), place: { real, root } }
  }

  async function read ({ key, changedAt, place }: Item) {
    const { real, root } = place as { real: string, root: string }
    let file: FileHandle | undefined
    try {
      // Swapping it for a link meanwhile must not lead us out of the folder.
      file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      if (!isWithin([root], await realpath(real))) return 'unsettled' as const
      const before = await file.stat({ bigint: true })
      if (!before.isFile()) return 'unsettled' as const
      if (!isQuiet(Number(before.mtimeNs / 1_000_000n), clock.micros() / 1000)) return 'unsettled' as const
      if (before.size > BigInt(fileLimit)) {
        return { failed: { code: 'too_large', message: `${key} is larger than the ${fileLimit} bytes that a file may have.` } }
      }
      const bytes = await file.readFile()
      const after = await file.stat({ bigint: true })
      // It is being written: what was read is neither the old nor the new content.
      if (stampOf(before) !== stampOf(after) || stampOf(after) !== changedAt) return 'unsettled' as const
      return { content: { bytes, name: path.basename(key) } }
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT' || code === 'ELOOP') return 'unsettled' as const
      return { failed: { code: 'unreadable', message: `${key} cannot be read (${code || 'unknown'}).` } }
    } finally {
      await file?.close()
    }
  }
}

function unreadable (folder: string, error: unknown): FeedFault {
  return new FeedFault('unavailable', `The folder ${folder} cannot be read (${errorCode(error) || 'unknown'}). What was learnt from it stays.`)
}
