import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { JobRequest } from '../../platform/work/jobs.ts'
import { inSlices } from '../../platform/work/slices.ts'
import type { Worker } from '../../platform/work/worker.ts'
import type { ConversationWords } from './words.sqlite.ts'

const SLICE_MS = 2

/** Asks for the words of conversations that an older program wrote to be indexed, after an upgrade. */
export const INDEXING: JobRequest = { kind: 'index-conversations', subject: 0, owner: 0, unlessAsked: true }

/** Indexes them in the background, in slices that hold nobody up. */
export function workOnWords (worker: Worker, db: Database, { words }: { words: ConversationWords }) {
  worker.handle(INDEXING.kind, {
    async run (_job, signal) {
      const slice = inSlices(db, signal)
      while (await slice(() => words.indexSome(SLICE_MS)));
      return { done: true }
    },
    // Searches index what they meet, until there is room for this on the disk again.
    tries: Infinity
  })
}
