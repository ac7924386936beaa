import { invalid } from '../errors.ts'
import { timestamp, type Clock } from '../clock.ts'
import type { Database } from './sqlite/database.ts'
import { copyFault, keyFault } from './vault.ts'

/** The state of agenthall.key, as recorded in the data. */
interface KeyCopies {
  /** Why the key beside the data cannot be used, and when a copy of it was last seen elsewhere. */
  standing (): Promise<{ fault: string | null, copied: string | null }>
  /** Records that a file elsewhere is a copy of it. Refuses with VALIDATION_ERROR one that is not. */
  seen (file: string): Promise<void>
}

/** See KeyCopies. A newly created key has no copy yet. */
export function keyCopies ({ db, clock }: { db: Database, clock: Clock }): KeyCopies {
  const directory = db.directory
  const kept = db.objects<[], { fingerprint: string, copied_at: string | null }>(
    'select fingerprint, copied_at from vault_keys'
  )
  const write = db.objects<[string]>('update vault_keys set copied_at = ?')
  return {
    standing: () => db.read(function * () {
      const { fingerprint, copied_at: copied = null } = (yield * kept.get()) ?? {}
      return { fault: keyFault(directory, fingerprint) ?? null, copied }
    }),
    seen: async (file) => await db.atomically(function * () {
      const fault = copyFault(directory, (yield * kept.get())?.fingerprint, file)
      if (fault) throw invalid({ field: 'file', message: fault })
      yield * write.run(timestamp(clock.micros()))
    })
  }
}
