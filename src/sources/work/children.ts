import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { Job } from '../../platform/work/jobs.ts'
import type { TrainingStore } from '../store.ts'
import type { Child } from '../contract.ts'
import { Unwanted } from './failure.ts'

/**
 * Keeps what a source that lists others found: whether a child was kept, rather than left away as a person wants it.
 * Throws Unwanted, which ends the search, as soon as nobody wants the source any more.
 */
export type KeepChild = (job: Job, child: Child) => Promise<boolean>

/** See KeepChild. */
export function childKeeper ({ store, blobs }: { store: TrainingStore, blobs: Blobs }): KeepChild {
  return async (job, child) => {
    let kept: Awaited<ReturnType<TrainingStore['keepChild']>> | undefined
    try {
      kept = await store.keepChild(job, child)
    } finally {
      if (kept !== 'kept' && child.file) await blobs.discard(child.file.blob)
    }
    if (kept === 'unwanted') throw new Unwanted()
    return kept === 'kept'
  }
}
