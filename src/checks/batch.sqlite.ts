import type { QuestionPatch, QuestionRecord } from '../../schema/checks.ts'
import type { Id, Timestamp } from '../../schema/common.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { changedQuestion } from './questions.ts'
import { questionRows } from './questions.sqlite.ts'

/** What a change of a question comes to: opened, changed and sealed. `sources`: null where they stay. */
export interface PreparedQuestion {
  id: Id
  enabled: boolean
  blocking: boolean
  sealed: Buffer
  sources: readonly Id[] | null
}

/** Changes of many questions at once, in two parts, so that the transaction holds nobody up for long. */
export interface QuestionBatch {
  /**
   * What a change comes to, by what there is now: whoever writes it has to know that nothing has moved since. Undefined
   * where there is no such question. Refuses as a change by itself does.
   */
  prepared (agent: Id, question: Id, patch: QuestionPatch): Promise<PreparedQuestion | undefined>
  /** Inside a transaction: writes changes that were prepared. */
  write (changes: readonly PreparedQuestion[], at: Timestamp): Work<void>
}

/** See QuestionBatch. */
export function questionBatch ({ db, secrets }: { db: Database, secrets: Secrets }): QuestionBatch {
  const { one, close } = questionRows(db, secrets)
  const update = db.objects<[string]>(`
    update questions set enabled = cast(new.value ->> 'enabled' as integer), blocking = cast(new.value ->> 'blocking' as integer),
      updated_at = new.value ->> 'at', sealed = unhex(new.value ->> 'sealed')
    from json_each(?) as new where questions.id = cast(new.value ->> 'id' as integer)`)
  const unlink = db.objects<[string]>(
    'delete from question_sources where question in (select cast(value as integer) from json_each(?))')
  const link = db.objects<[string]>(`
    insert or ignore into question_sources (question, source)
    select cast(value ->> 0 as integer), cast(value ->> 1 as integer) from json_each(?)`)

  return {
    prepared: async (agent, id, patch) => db.read(function * () {
      const found = yield * one(agent, id)
      if (!found) return undefined
      const next: QuestionRecord & { secret: Id } = changedQuestion(found, patch)
      const { enabled, blocking, secret, expect: { sources } } = next
      const before = found.expect.sources
      const isSame = sources.length === before.length && sources.every((source, n) => source === before[n])
      return { id, enabled, blocking, sealed: yield * close(secret, agent, next), sources: isSame ? null : sources }
    }),

    * write (changes, at) {
      const rows = changes.map(({ id, enabled, blocking, sealed }) =>
        ({ id, enabled: Number(enabled), blocking: Number(blocking), at, sealed: sealed.toString('hex') }))
      yield * update.run(JSON.stringify(rows))
      const linked = changes.flatMap(({ id, sources }) => sources === null ? [] : [{ id, sources }])
      if (linked.length === 0) return
      yield * unlink.run(JSON.stringify(linked.map(({ id }) => id)))
      yield * link.run(JSON.stringify(linked.flatMap(({ id, sources }) => sources.map((source) => [id, source]))))
    }
  }
}
