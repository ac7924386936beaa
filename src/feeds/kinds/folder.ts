import { constants } from 'node:fs'
import { lstat, open, opendir, realpath, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { formatOfName } from '../../reading/formats.ts'
import type { FeedReader, Item, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { isWithin } from '../within.ts'

/** Milliseconds without a change before a file counts as written. */
export const QUIET_MS = 2000
/** Milliseconds that the clock of the files may be ahead of ours. */
const AHEAD_MS = 60_000
/** Folders within one another that are followed. */
const MOST_DEEP = 32
/** Files that are listed at a time. */
const AT_A_TIME = 200

/** What tells a file from what it was: whatever writes to it moves one of them. */
interface Stamp { size: bigint, mtimeNs: bigint, ctimeNs: bigint, ino: bigint }

const stampOf = ({ size, mtimeNs, ctimeNs, ino }: Stamp) => [size, mtimeNs, ctimeNs, ino].join('-')

/** Whether a file has not been written to for a while. A time that is well ahead of ours is told by another clock. */
export function isQuiet (changedMs: number, nowMs: number): boolean {
  return nowMs - changedMs >= QUIET_MS || changedMs - nowMs > AHEAD_MS
}

/**
 * Reads folders on the server, with those in them. Links that lead out of the folder are not followed, nor what is
 * hidden or being written.
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

  /** Where the folder really is. What has vanished is a fault, and no empty folder. */
  async function rootOf (place: string): Promise<string> {
    const root = await realpath(place).catch(() => undefined)
    if (root === undefined) {
      throw new FeedFault('unavailable', `There is no folder ${place} now. What was learnt of it stays.`)
    }
    const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
    if (!isWithin(allowed, root)) {
      throw new FeedFault('not_allowed', `${place} is in no folder that may be watched. Ask whoever runs this server to name it in AGENTHALL_FOLDERS.`)
    }
    return root
  }

  async function * files (root: string, folder: string, depth: number, signal: AbortSignal): AsyncGenerator<Item> {
    signal.throwIfAborted()
    if (depth > MOST_DEEP) return
    // A folder that cannot be read ends the look: what is in it is not gone.
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
    // Gone since the folder was read, or a link to nothing.
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
      // Whoever swaps it for a link meanwhile does not lead us out of the folder.
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
      // It is being written: what was read is neither the one nor the other.
      if (stampOf(before) !== stampOf(after) || stampOf(after) !== changedAt) return 'unsettled' as const
      return { content: { bytes, name: path.basename(key) } }
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'ENOENT' || code === 'ELOOP') return 'unsettled' as const
      return { failed: { code: 'unreadable', message: `${key} cannot be read (${code ?? 'unknown'}).` } }
    } finally {
      await file?.close()
    }
  }
}

function unreadable (folder: string, error: unknown): FeedFault {
  return new FeedFault('unavailable', `The folder ${folder} cannot be read (${(error as { code?: string }).code ?? 'unknown'}). What was learnt of it stays.`)
}
