import type { Clock } from '../../platform/clock.ts'
import type { Worker } from '../../platform/work/worker.ts'
import { LOOSE_MS, type AttachmentStore } from './attachments.ts'

const EVERY_MS = 10 * 60_000

/** Removes visitors' files not named by a message for an hour, in the background. */
export function workOnLooseFiles (worker: Worker, clock: Clock, store: Pick<AttachmentStore, 'forgetLoose'>) {
  worker.every('attachments.forget', EVERY_MS, async (signal) => {
    const before = clock.micros() - LOOSE_MS * 1000
    while (!signal.aborted && await store.forgetLoose(before));
  })
}
