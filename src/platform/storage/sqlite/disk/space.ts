import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'
import { Refusal } from '../../../errors.ts'

const MIB = 2 ** 20
/**
 * How long a reading of the file system's free space is cached: shorter when space is short, to notice soon when there
 * is more.
 */
const BELIEVED_MS = { enough: 1000, short: 200 }

/** The state of the disk space. */
interface DiskRoom {
  /** Bytes this process may still use. */
  free: number
  /** Whether there is ballast to release. */
  ballast: boolean
}

/** Watches the free space of the disk on behalf of writers. */
export interface Space {
  /**
   * Called before each piece of writing. Refuses with `storage_full` when less than the floor is free, unless the piece
   * frees space. `reusable`: bytes inside the data file that can be reused without growing it.
   */
  check (piece: { frees: boolean, reusable: () => number }): void
  /** The disk turned out to be full: releases the ballast. True if there was any, so that a retry is worth it. */
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
 * Keeps a floor of free bytes below which nothing is written, and a file of ballast. The floor leaves room for work in
 * progress; the ballast is released when other programs have used up the floor too, because on a full disk SQLite can
 * neither delete nor fold its log into the file. It is recreated once there is room for both.
 */
export function watchSpace ({
  directory, floor = 64 * MIB, ballast = 16 * MIB, free = () => freeBytes(directory), now = () => performance.now()
}: {
  directory: string
  floor?: number
  ballast?: number
  /** Queries the file system. */
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

  // A partial ballast is left when the process was killed while creating it.
  if (!held) rmSync(file, { force: true })
  ask()
  return {
    check ({ frees, reusable }) {
      const bytes = ask()
      if (frees || bytes >= floor) return
      // Free space inside the file counts, so that deleting helps; but the log needs some outside first.
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

/** Writes a file that no file system can compress. False when it does not fit after all. */
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
