import type { QuestionPatch, QuestionRecord } from '../../schema/checks.ts'
import type { Id, Timestamp } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { inGroups, type Work } from '../platform/storage/work.ts'
import { changedQuestion, demandRoom, type Written } from './questions.ts'
import { closedBy, questionRows } from './questions.sqlite.ts'

/** Questions written at once: between those of long work others get a turn. */
const AT_ONCE = 100

/** A prepared change of a question: decrypted, changed and sealed. `sources`: null if unchanged. */
export interface PreparedQuestion {
  id: Id
  enabled: boolean
  blocking: boolean
  sealed: Buffer
  sources: readonly Id[] | null
}

/** Changes of many questions at once, in two parts, so that the transaction does not block others for long. */
export interface QuestionBatch {
  /**
   * Prepares a change, based on the current state: the caller has to make sure that nothing changes until it is
   * written. Undefined if there is no such question. Refuses as a single change does.
   */
  prepared (agent: Id, question: Id, patch: QuestionPatch): Promise<PreparedQuestion | undefined>
  /**
   * Inside a transaction: makes questions of an agent, each with its key in files; returns their numbers by these keys.
   * Refuses with `limit_reached` as a single one does.
   */
  create (agent: Id, made: ReadonlyMap<string, Written>, at: Timestamp): Work<Map<string, Id>>
  /** Inside a transaction: writes prepared changes. */
  write (changes: readonly PreparedQuestion[], at: Timestamp): Work<void>
}

/** See QuestionBatch. */
export function questionBatch ({ db, secrets }: Pick<Kernel, 'db' | 'secrets'>): QuestionBatch {
  const { one, close } = questionRows(db, secrets)
  const update = db.objects<[string]>(`
    update questions set enabled = cast(new.value ->> 'enabled' as integer), blocking = cast(new.value ->> 'blocking' as integer),
      updated_at = new.value ->> 'at', sealed = unhex(new.value ->> 'sealed')
    from json_each(?) as new where questions.id = cast(new.value ->> 'id' as integer)`)
  const count = db.column<[Id], number>('select count(*) from questions where agent_id = ?')
  const insert = db.objects<[string], { id: Id, key: string }>(`
    insert into questions (agent_id, key, from_message, enabled, blocking, is_stale, created_at, updated_at, secret, sealed)
    select cast(value ->> 'agent' as integer), value ->> 'key', value ->> 'from', cast(value ->> 'enabled' as integer),
      cast(value ->> 'blocking' as integer), 0, value ->> 'at', value ->> 'at', cast(value ->> 'secret' as integer),
      unhex(value ->> 'sealed')
    from json_each(?) order by key returning id, key`)
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

    * create (agent, made, at) {
      demandRoom((yield * count.get(agent))! + made.size)
      const ids = new Map<string, Id>()
      for (const some of inGroups([...made], AT_ONCE)) {
        const secretOf = yield * secrets.createMany(some.length)
        const rows = some.map(([key, question], i) => {
          const { secret, seal } = secretOf[i]!
          const { enabled, blocking, from_message: from } = question
          const sealed = closedBy(seal, agent, question).toString('hex')
          return { agent, key, from, enabled: Number(enabled), blocking: Number(blocking), at, secret, sealed }
        })
        for (const { id, key } of yield * insert.all(JSON.stringify(rows))) ids.set(key, id)
        const linked = some.flatMap(([key, { expect }]) => expect.sources.map((source) => [ids.get(key), source]))
        if (linked.length > 0) yield * link.run(JSON.stringify(linked))
      }
      return ids
    },

    * write (changes, at) {
      for (const some of inGroups(changes, AT_ONCE)) yield * writeSome(some, at)
    }
  }

  function * writeSome (changes: readonly PreparedQuestion[], at: Timestamp): Work<void> {
    const rows = changes.map(({ id, enabled, blocking, sealed }) =>
      ({ id, enabled: Number(enabled), blocking: Number(blocking), at, sealed: sealed.toString('hex') }))
    yield * update.run(JSON.stringify(rows))
    const linked = changes.flatMap(({ id, sources }) => sources === null ? [] : [{ id, sources }])
    if (linked.length === 0) return
    yield * unlink.run(JSON.stringify(linked.map(({ id }) => id)))
    yield * link.run(JSON.stringify(linked.flatMap(({ id, sources }) => sources.map((source) => [id, source]))))
  }
}
