import type { Question, QuestionDraft, QuestionRecord, Verdict } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { questions } from '../../schema/sqlite/checks.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { sealKept, type Seal, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import { takingTurns } from '../platform/work/slices.ts'
import { folded } from './judge.ts'
import { changedQuestion, demandRoom, newQuestion, NOTHING_EXPECTED } from './questions.ts'
import type { CheckStore } from './store.ts'

/** Questions decrypted without letting others run, some 40 µs each. */
const QUESTIONS_A_TURN = 100
/** Number of runs for which a question's results are shown. */
const RECENT = 10

type QuestionParts = Pick<Kernel, 'db' | 'clock' | 'secrets' | 'idempotency'>

type Sealed = Pick<QuestionRecord, 'text' | 'language' | 'turns' | 'actions' | 'expect'>

/** Reads questions inside an open transaction. */
export function questionRows (db: Database, secrets: Secrets) {
  const rows = rowsOf(questions, ['key'])
  const select = `select ${rows.columns} from questions`
  const all = db.rows<[Id, Id, number], unknown[]>(`${select} where agent_id = ? and id > ? order by id limit ?`)
  const one = db.rows<[Id, Id], unknown[]>(`${select} where id = ? and agent_id = ?`)
  const recent = db.objects<[Id, number], { run: Id, verdict: Verdict }>(
    'select run, verdict from question_results where question = ? order by run desc limit ?'
  )

  function * recordOf (row: unknown[]): Work<QuestionRecord & { secret: Id }> {
    const { sealed, is_stale: _stale, ...kept } = rows.record(row)
    const opened = (yield * sealKept(secrets, kept.secret)).open(placeOf(kept.agent), sealed).toString()
    const { actions = [], expect, ...said } = JSON.parse(opened) as Sealed
    // Older programs had fewer kinds of expectations.
    return { ...kept, ...said, actions, expect: { ...NOTHING_EXPECTED, ...expect } }
  }

  return {
    rows,
    * all (agent: Id, after = 0, most = -1) { return yield * mapped(yield * all.all(agent, after, most), recordOf) },
    * one (agent: Id, id: Id) {
      const row = yield * one.get(id, agent)
      return row && (yield * recordOf(row))
    },
    * close (secret: Id, agent: Id, question: Sealed) {
      return closedBy(yield * sealKept(secrets, secret), agent, question)
    },
    * shown ({ secret: _secret, ...question }: QuestionRecord & { secret: Id }): Work<Question> {
      return { ...question, recent: yield * recent.all(question.id, RECENT) }
    }
  }
}

/** The sealed part of a question, as it is stored. */
export const closedBy = (seal: Seal, agent: Id, { text, language, turns, actions, expect }: Sealed): Buffer =>
  seal.close(placeOf(agent), JSON.stringify({ text, language, turns, actions, expect }))

const placeOf = (agent: Id) => `questions/${agent}`

/** Test questions in SQLite. */
export function sqliteQuestions (parts: QuestionParts): Pick<
  CheckStore, 'questions' | 'question' | 'add' | 'addAll' | 'change' | 'remove'
> {
  const { db, clock, secrets, idempotency } = parts
  const { rows, all, one, close, shown } = questionRows(db, secrets)
  const isThere = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const count = db.column<[Id], number>('select count(*) from questions where agent_id = ?')
  const insert = db.column<any[], number>(
    `insert into questions (${rows.columns}) values (${rows.placeholders}) returning id`
  )
  const update = db.objects(
    'update questions set enabled = ?, blocking = ?, updated_at = ?, sealed = ? where id = ?'
  )
  const remove = db.objects('delete from questions where id = ?')
  const unlink = db.objects('delete from question_sources where question = ?')
  const link = db.objects('insert or ignore into question_sources (question, source) values (?, ?)')

  function * rest (question: Id, { sources }: QuestionRecord['expect']) {
    yield * unlink.run(question)
    for (const source of sources) yield * link.run(question, source)
  }

  function * put (agent: Id, draft: QuestionDraft, from: string | null): Work<Question> {
    const written = newQuestion(draft, from)
    const at = timestamp(clock.micros())
    const secret = yield * secrets.create()
    const row = {
      ...written,
      agent,
      is_stale: false,
      created_at: at,
      updated_at: at,
      secret,
      sealed: yield * close(
        secret, agent, written
      )
    }
    const id = (yield * insert.get(rows.values(row)))!
    yield * rest(id, written.expect)
    return { id, agent, ...written, created_at: at, updated_at: at, recent: [] }
  }

  function * replace (question: QuestionRecord & { secret: Id }): Work<Question> {
    const { id, agent, enabled, blocking, secret } = question
    const at = timestamp(clock.micros())
    yield * update.run(Number(enabled), Number(blocking), at, yield * close(secret, agent, question), id)
    yield * rest(id, question.expect)
    return yield * shown({ ...question, updated_at: at })
  }

  return {
    async questions (owner, agent) {
      if ((await db.read(() => isThere.get(agent, owner))) !== 1) return undefined
      const found: Question[] = []
      const turn = takingTurns()
      for (;;) {
        const after = found.at(-1)?.id ?? 0
        const some = await db.read(function * () {
          return yield * mapped(yield * all(agent, after, QUESTIONS_A_TURN), shown)
        })
        for (const one of some) found.push(one)
        if (some.length < QUESTIONS_A_TURN) return found
        await turn()
      }
    },
    question: async (owner, agent, id) => db.read(function * () {
      const found = (yield * isThere.get(agent, owner)) === 1 ? (yield * one(agent, id)) : undefined
      return found && (yield * shown(found))
    }),
    add: (owner, agent, { draft, from = null }, once) => db.atomically(function * () {
      if ((yield * isThere.get(agent, owner)) !== 1) return undefined
      return yield * idempotency.run(owner, once, function * () {
        demandRoom((yield * count.get(agent))! + 1)
        return yield * put(agent, draft, from)
      })
    }),
    addAll: (owner, agent, drafts) => db.atomically(function * () {
      if ((yield * isThere.get(agent, owner)) !== 1) return undefined
      const known = new Map((yield * all(agent)).map((question) => [folded(question.text), question]))
      const read = { added: 0, changed: 0 }
      for (const draft of drafts) {
        const same = known.get(folded(draft.text))
        if (same) {
          yield * replace(changedQuestion(same, draft))
          read.changed++
        } else {
          yield * put(agent, draft, null)
          read.added++
        }
      }
      demandRoom((yield * count.get(agent))!)
      return read
    }),
    change: (owner, agent, id, patch, check) => db.atomically(function * () {
      const found = (yield * isThere.get(agent, owner)) === 1 ? (yield * one(agent, id)) : undefined
      if (!found) return undefined
      check(yield * shown(found))
      return yield * replace(changedQuestion(found, patch))
    }),
    remove: (owner, agent, id, check) => db.atomically(function * () {
      const found = (yield * isThere.get(agent, owner)) === 1 ? (yield * one(agent, id)) : undefined
      if (!found) return false
      check(yield * shown(found))
      yield * remove.run(id)
      return true
    }, { frees: true })
  }
}
