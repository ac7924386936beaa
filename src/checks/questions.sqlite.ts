import type { Question, QuestionDraft, QuestionRecord, Verdict } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { questions } from '../../schema/sqlite/checks.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { sealKept, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { folded } from './judge.ts'
import { changedQuestion, demandRoom, newQuestion, NOTHING_EXPECTED } from './questions.ts'
import type { CheckStore } from './store.ts'

/** Runs in which what became of a question is shown. */
const RECENT = 10

interface QuestionParts { db: Database, clock: Clock, secrets: Secrets, onceOnly: OnceOnly }

type Sealed = Pick<QuestionRecord, 'text' | 'language' | 'turns' | 'actions' | 'expect'>

/** Reads questions inside a transaction that is open. */
export type QuestionRows = ReturnType<typeof questionRows>

/** See QuestionRows. */
export function questionRows ({ raw }: Database, secrets: Secrets) {
  const rows = rowsOf(questions, ['key'])
  const select = `select ${rows.columns} from questions`
  const all = raw.prepare<[Id], unknown[]>(`${select} where agent_id = ? order by id`).raw()
  const one = raw.prepare<[Id, Id], unknown[]>(`${select} where id = ? and agent_id = ?`).raw()
  const recent = raw.prepare<[Id, number], { run: Id, verdict: Verdict }>(
    'select run, verdict from question_results where question = ? order by run desc limit ?'
  )

  function recordOf (row: unknown[]): QuestionRecord & { secret: Id } {
    const { sealed, is_stale: _stale, ...kept } = rows.record(row)
    const opened = sealKept(secrets, kept.secret).open(placeOf(kept.agent), sealed).toString()
    const { actions = [], expect, ...said } = JSON.parse(opened) as Sealed
    // Older programs knew less of what can be expected.
    return { ...kept, ...said, actions, expect: { ...NOTHING_EXPECTED, ...expect } }
  }

  return {
    rows,
    all: (agent: Id) => all.all(agent).map(recordOf),
    one (agent: Id, id: Id) {
      const row = one.get(id, agent)
      return row && recordOf(row)
    },
    shown ({ secret: _secret, ...question }: QuestionRecord & { secret: Id }): Question {
      return { ...question, recent: recent.all(question.id, RECENT) }
    }
  }
}

const placeOf = (agent: Id) => `questions/${agent}`

/** Test questions in SQLite. */
export function sqliteQuestions (parts: QuestionParts): Pick<
  CheckStore, 'questions' | 'question' | 'add' | 'addAll' | 'change' | 'remove'
> {
  const { db, clock, secrets, onceOnly } = parts
  const { raw } = db
  const { rows, all, one, shown } = questionRows(db, secrets)
  const isThere = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const count = raw.prepare<[Id], number>('select count(*) from questions where agent_id = ?').pluck()
  const insert = raw.prepare(`insert into questions (${rows.columns}) values (${rows.placeholders})`)
  const update = raw.prepare(
    'update questions set enabled = ?, blocking = ?, updated_at = ?, sealed = ? where id = ?'
  )
  const remove = raw.prepare('delete from questions where id = ?')
  const unlink = raw.prepare('delete from question_sources where question = ?')
  const link = raw.prepare('insert or ignore into question_sources (question, source) values (?, ?)')

  const close = (secret: Id, agent: Id, { text, language, turns, actions, expect }: Sealed) =>
    sealKept(secrets, secret).close(placeOf(agent), JSON.stringify({ text, language, turns, actions, expect }))

  function rest (question: Id, { sources }: QuestionRecord['expect']) {
    unlink.run(question)
    for (const source of sources) link.run(question, source)
  }

  function put (agent: Id, draft: QuestionDraft, from: string | null): Question {
    const written = newQuestion(draft, from)
    const at = timestamp(clock.micros())
    const secret = secrets.create()
    const row = {
      ...written, agent, is_stale: false, created_at: at, updated_at: at, secret, sealed: close(secret, agent, written)
    }
    const id = Number(insert.run(rows.values(row)).lastInsertRowid)
    rest(id, written.expect)
    return { id, agent, ...written, created_at: at, updated_at: at, recent: [] }
  }

  function replace (question: QuestionRecord & { secret: Id }): Question {
    const { id, agent, enabled, blocking, secret } = question
    const at = timestamp(clock.micros())
    update.run(Number(enabled), Number(blocking), at, close(secret, agent, question), id)
    rest(id, question.expect)
    return shown({ ...question, updated_at: at })
  }

  return {
    questions: async (owner, agent) =>
      db.read(() => isThere.get(agent, owner) === 1 ? all(agent).map(shown) : undefined),
    question: async (owner, agent, id) => db.read(() => {
      const found = isThere.get(agent, owner) === 1 ? one(agent, id) : undefined
      return found && shown(found)
    }),
    add: (owner, agent, { draft, from = null }, once) => db.atomically(() => {
      if (isThere.get(agent, owner) !== 1) return undefined
      return onceOnly.run(owner, once, () => {
        demandRoom(count.get(agent)! + 1)
        return put(agent, draft, from)
      })
    }),
    addAll: (owner, agent, drafts) => db.atomically(() => {
      if (isThere.get(agent, owner) !== 1) return undefined
      const known = new Map(all(agent).map((question) => [folded(question.text), question]))
      const read = { added: 0, changed: 0 }
      for (const draft of drafts) {
        const same = known.get(folded(draft.text))
        if (same) {
          replace(changedQuestion(same, draft))
          read.changed++
        } else {
          put(agent, draft, null)
          read.added++
        }
      }
      demandRoom(count.get(agent)!)
      return read
    }),
    change: (owner, agent, id, patch, check) => db.atomically(() => {
      const found = isThere.get(agent, owner) === 1 ? one(agent, id) : undefined
      if (!found) return undefined
      check(shown(found))
      return replace(changedQuestion(found, patch))
    }),
    remove: (owner, agent, id, check) => db.atomically(() => {
      const found = isThere.get(agent, owner) === 1 ? one(agent, id) : undefined
      if (!found) return false
      check(shown(found))
      remove.run(id)
      return true
    }, { frees: true })
  }
}
