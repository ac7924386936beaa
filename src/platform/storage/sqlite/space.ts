import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'
import { Refusal } from '../../errors.ts'

const MIB = 2 ** 20
/**
 * How long an answer of the file system about its free space is believed: short while there is none, to notice soon
 * that there is.
 */
const BELIEVED_MS = { enough: 1000, short: 200 }

/** What is known about the room on the disk. */
interface DiskRoom {
  /** Bytes this process may still use. */
  free: number
  /** Whether the ballast is there to be given up. */
  ballast: boolean
}

/** Watches the free space of the disk on behalf of writers. */
export interface Space {
  /**
   * Asked before each piece of writing. Refuses with `storage_full` when less than the floor is free, unless the piece
   * frees space. `reusable`: bytes inside the data file that can be written again without its growing.
   */
  check (piece: { frees: boolean, reusable: () => number }): void
  /**
   * The disk turned out to be full: gives up the ballast. True when there was one, so that trying again is worth it.
   */
  relieve (): boolean
  /** For doctor and metrics. */
  room (): DiskRoom
}

/** Bytes that this process may still use on the disk of a directory. */
export function freeBytes (directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/**
 * Keeps a floor of free bytes below which nothing is written, and a file of ballast. The floor leaves room for what is
 * on its way; the ballast is given up when other programs have eaten the floor too, because on a full disk SQLite can
 * neither delete nor fold its log into the file. It is made again once there is room for both.
 */
export function watchSpace ({
  directory, floor = 64 * MIB, ballast = 16 * MIB, free = () => freeBytes(directory), now = () => performance.now()
}: {
  directory: string
  floor?: number
  ballast?: number
  /** Asks the file system. */
  free?: () => number
  now?: () => number
}): Space {
  const file = path.join(directory, 'agenthall.ballast')
  let held = statSync(file, { throwIfNoEntry: false })?.size === ballast
  let known = { free: 0, until: -Infinity }

  function giveUp () {
    rmSync(file, { force: true })
    held = false
    known.until = -Infinity
  }

  function ask (): number {
    if (now() < known.until) return known.free
    let bytes = free()
    if (held && bytes < ballast) {
      giveUp()
      bytes = free()
    } else if (!held && bytes >= floor + ballast) {
      held = fill(file, ballast)
      bytes = free()
    }
    known = { free: bytes, until: now() + (bytes < floor ? BELIEVED_MS.short : BELIEVED_MS.enough) }
    return bytes
  }

  // Half a ballast is left when the process was killed while it made one.
  if (!held) rmSync(file, { force: true })
  ask()
  return {
    check ({ frees, reusable }) {
      const bytes = ask()
      if (frees || bytes >= floor) return
      // Room inside the file counts, so that deleting helps; but the log in front of it needs some outside.
      if (bytes < Math.min(ballast, floor) || bytes + reusable() < floor) throw storageFull()
    },
    relieve () {
      const worthIt = held
      giveUp()
      return worthIt
    },
    room: () => ({ free: ask(), ballast: held })
  }
}

/** Writes a file that no file system can compress away. False when it does not fit after all. */
function fill (file: string, bytes: number): boolean {
  const block = randomBytes(Math.min(bytes, MIB))
  try {
    const fd = openSync(file, 'w', 0o600)
    try {
      for (let left = bytes; left > 0;) left -= writeSync(fd, block, 0, Math.min(left, block.length))
    } finally {
      closeSync(fd)
    }
    return true
  } catch {
    rmSync(file, { force: true })
    return false
  }
}

/** There is no room for a write. */
export function storageFull (cause?: unknown) {
  return new Refusal(
    'storage_full',
    'The server has no disk space left for this. Delete something or ask the operator to free space, then try again.',
    { cause }
  )
}
