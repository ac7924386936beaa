import { setTimeout as pause } from 'node:timers/promises'
import { takeLock, type Lock } from '../platform/storage/sqlite/lock.ts'
import type { Background, Stores } from '../stores.ts'
import { configOf, sentenceOf, type CommonOptions, type Surroundings } from './common.ts'

/** How often is looked how far it is. */
const LOOK_MS = 100

/**
 * Waits until work in the background `isDone`, which is asked again and again. A running server does it; without one,
 * or when it stops meanwhile, this process does, to the end of what has to be wiped.
 */
export async function untilDone (
  { around, stores, directory }: { around: Surroundings, stores: Stores, directory: string },
  isDone: () => Promise<boolean>
): Promise<void> {
  let lock: Lock | undefined
  let worker: Background | undefined
  try {
    for (;;) {
      lock ??= takeLock(directory, { patienceMs: 0 })
      if (lock) worker ??= await stores.work((error) => around.note(sentenceOf(error)))
      if (await isDone()) return await worker?.settled()
      await pause(LOOK_MS)
    }
  } finally {
    await worker?.stop()
    lock?.release()
  }
}

/** Waits until what was deleted of an account is removed, telling how far that is. */
export async function untilRemoved (
  around: Surroundings, options: CommonOptions, stores: Stores, owner: number
): Promise<void> {
  await untilDone({ around, stores, directory: configOf(around, options).DATA }, async () => {
    const { jobs, conversations } = await stores.privacy.deletion.left(owner)
    if (jobs > 0) around.progress?.(`${conversations.toLocaleString('en')} conversations are still to be removed`)
    else around.progress?.('')
    return jobs === 0
  })
}
