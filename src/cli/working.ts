import { setTimeout as pause } from 'node:timers/promises'
import { takeLock, type Lock } from '../platform/storage/sqlite/disk/lock.ts'
import type { Background } from '../kernel/index.ts'
import type { Stores } from '../stores.ts'
import { configOf, sentenceOf, type CommonOptions, type CliIo } from './common.ts'

/** Polling interval. */
const LOOK_MS = 100

/**
 * Waits until background work `isDone`, by polling. A running server does the work; without one, or when it stops
 * meanwhile, this process does, until everything is wiped.
 */
export async function untilDone (
  { io, stores, directory }: { io: CliIo, stores: Stores, directory: string },
  isDone: () => Promise<boolean>
): Promise<void> {
  let lock: Lock | undefined
  let worker: Background | undefined
  try {
    for (;;) {
      lock ??= takeLock(directory, { patienceMs: 0 })
      if (lock) worker ??= await stores.work((error) => io.note(sentenceOf(error)))
      if (await isDone()) return await worker?.settled()
      await pause(LOOK_MS)
    }
  } finally {
    await worker?.stop()
    lock?.release()
  }
}

/** Waits until the deleted data of an account is removed, showing progress. */
export async function untilRemoved (
  io: CliIo, options: CommonOptions, stores: Stores, owner: number
): Promise<void> {
  await untilDone({ io, stores, directory: configOf(io, options).DATA }, async () => {
    const { jobs, conversations } = await stores.privacy.deletion.left(owner)
    if (jobs > 0) io.progress?.(`${conversations.toLocaleString('en')} conversations are still to be removed`)
    else io.progress?.('')
    return jobs === 0
  })
}
