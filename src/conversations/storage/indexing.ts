import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { JobRequest } from '../../platform/work/jobs.ts'
import { inSlices } from '../../platform/work/slices.ts'
import type { Worker } from '../../platform/work/worker.ts'
import type { ConversationWords } from './words.sqlite.ts'

const SLICE_MS = 2

/** Queues the indexing of conversations written by an older version, after an upgrade. */
export const INDEXING: JobRequest = { kind: 'index-conversations', subject: 0, owner: 0, unlessAsked: true }

/** Indexes them in the background, in slices that block nobody. */
export function workOnWords (worker: Worker, db: Database, { words }: { words: ConversationWords }) {
  worker.handle(INDEXING.kind, {
    async run (_job, signal) {
      const slice = inSlices(db, signal)
      while (await slice(() => words.indexSome(SLICE_MS)));
      return { done: true }
    },
    // Until there is disk space for this again, searches index what they meet.
    tries: Infinity
  })
}
