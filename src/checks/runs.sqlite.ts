import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { AgentSettings } from '../../schema/agents.ts'
import type { CheckResult, CheckRun, CheckRunRecord, CheckRunWithResults } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { questionResults, questionRuns } from '../../schema/sqlite/checks.ts'
import { completedSettings } from '../../schema/sqlite/completed.ts'
import { knowledgeIn } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { sealKept } from '../platform/storage/secrets.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { firstOf, mapped, type Work } from '../platform/storage/work.ts'
import { questionRows } from './questions.sqlite.ts'
import type { CheckStore, NewRun, Noted } from './store.ts'

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** An agent's knowledge changed, and questions that passed before now fail. */
    'check.failed': { run: CheckRun }
  }
}

/** The kind of the job that runs the questions of a run; its subject is the run. */
export const RUN = 'checks.run'
/** The topic that wakes those who wait for a run. */
export const topicOf = (run: Id) => `checks/${run}`

/** Maximum runs stored for an agent, and pending at the same time. */
const MOST_RUNS = 50
const MOST_OPEN = 5

type RunParts = Pick<Kernel, 'db' | 'clock' | 'secrets' | 'idempotency' | 'jobs' | 'eventBus' | 'notifier'>

/** The sealed part of a run. */
interface SealedRun { settings: Partial<AgentSettings>, questions: Id[] }
type SealedResult = Pick<CheckResult, 'why' | 'message' | 'sources'>

/** Runs of test questions in SQLite. */
export function sqliteRuns (
  { db, clock, secrets, idempotency, jobs, eventBus, notifier }: RunParts
): Omit<CheckStore, 'questions' | 'question' | 'add' | 'addAll' | 'change' | 'remove'> {
  const questions = questionRows(db, secrets)
  const rows = rowsOf(questionRuns)
  const results = rowsOf(questionResults)
  const isThere = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const select = `select ${rows.columns} from question_runs`
  const one = db.rows<[Id, Id], unknown[]>(
    `${select} where id = ? and agent_id in (select id from agents where owner_id = ?)`)
  const some = db.rows<[Id, number, number], unknown[]>(
    `${select} where agent_id = ? and id < ? order by id desc limit ?`)
  const open = db.column<[Id], number>(
    "select count(*) from question_runs where agent_id = ? and state in ('queued', 'running')")
  const insert = db.column<any[], number>(
    `insert into question_runs (${rows.columns}) values (${rows.placeholders}) returning id`
  )
  const forget = db.objects(`
    delete from question_runs where agent_id = ? and id not in (
      select id from question_runs where agent_id = ? order by id desc limit ${MOST_RUNS})`)
  const state = db.objects('update question_runs set state = ?, finished_at = ?, worse = ? where id = ?')
  const put = db.objects(
    `insert into question_results (${results.columns}) values (${results.placeholders}) on conflict do nothing`
  )
  const ofRun = db.rows<[Id], unknown[]>(`select ${results.columns} from question_results where run = ? order by question`)
  const counts = db.objects<[Id], Record<'passed' | 'failed' | 'flaky' | 'errors', number>>(`
    select count(*) filter (where verdict = 'pass') as passed, count(*) filter (where verdict = 'fail') as failed,
      count(*) filter (where verdict = 'flaky') as flaky, count(*) filter (where verdict = 'error') as errors
    from question_results where run = ?`)
  const known = knowledgeIn(db)
  const link = db.objects('insert or ignore into question_sources (question, source) values (?, ?)')
  const fresh = db.objects('update questions set is_stale = 0 where id = ?')
  const stale = db.column<[Id], Id>('select id from questions where agent_id = ? and is_stale = 1 and enabled = 1 order by id')
  const lastOf = db.column<[Id], string | null>(
    "select max(created_at) from question_runs where agent_id = ? and cause = 'knowledge'"
  )
  const there = db.objects<[string, Id], { id: Id, parent: Id | null }>(
    'select id, parent_id as parent from knowledge_sources where id in (select cast(value as bigint) from json_each(?)) and agent_id = ?'
  )
  // A question's earlier result for the live version, or for one about to be live.
  const worse = db.column<{ run: Id }, number>(`
    select count(*) from question_results now where now.run = :run and now.verdict <> 'pass' and 'pass' = (
      select before.verdict from question_results before join question_runs on question_runs.id = before.run
      where before.question = now.question and before.run < :run and (question_runs.of = 'live' or question_runs.cause = 'publish')
      order by before.run desc limit 1)`
  )

  function recordOf (row: unknown[]) {
    const { sealed, ...kept } = rows.record(row)
    function * open () {
      const opened = (yield * sealKept(secrets, kept.secret)).open(`question_runs/${kept.agent}`, sealed)
      return JSON.parse(inflateRawSync(opened).toString()) as SealedRun
    }
    return { kept, open }
  }

  function * shown (row: unknown[]): Work<CheckRun> {
    const { kept: { secret: _secret, knowledge: _known, ...run } } = recordOf(row)
    return { ...run, ...(yield * counts.get(run.id))! }
  }

  function * resultsOf (row: unknown[]): Work<CheckRunWithResults> {
    const { kept: { id, agent, secret } } = recordOf(row)
    const asked = new Map((yield * questions.all(agent)).map((question) => [question.id, question]))
    const seal = yield * sealKept(secrets, secret)
    return {
      ...yield * shown(row),
      results: (yield * ofRun.all(id)).map((values) => {
        const { question, verdict, ms, tokens, sealed } = results.record(values)
        const { text, blocking } = asked.get(question)!
        const said = JSON.parse(seal.open(`question_runs/${id}/${question}`, sealed).toString()) as SealedResult
        return { question, text, blocking, verdict, ms, tokens, ...said }
      })
    }
  }

  function * end (row: unknown[], owner: Id, as: 'done' | 'cancelled'): Work<CheckRun> {
    const { kept } = recordOf(row)
    const count = as === 'done' && kept.of === 'live' ? (yield * worse.get({ run: kept.id }))! : 0
    yield * state.run(as, timestamp(clock.micros()), count, kept.id)
    yield * db.afterwards(() => notifier.notify(topicOf(kept.id)))
    const run = { ...yield * shown(row), state: as, finished_at: timestamp(clock.micros()), worse: count }
    if (count > 0 && kept.cause === 'knowledge') {
      yield * eventBus.publish({ owner, agent: kept.agent, type: 'check.failed', data: { run } })
    }
    return run
  }

  function * begin (owner: Id, agent: Id, { of, version, cause, draft, settings, questions: only, inMs = 0 }: NewRun) {
    if ((yield * open.get(agent))! >= MOST_OPEN) {
      throw new Refusal('limit_reached', `${MOST_OPEN} runs are waiting. Wait for one to end, or cancel one.`)
    }
    const asked = (yield * questions.all(agent))
      .filter(({ id, enabled }) => only ? only.includes(id) : enabled)
      .map(({ id }) => id)
    const now = yield * known(agent)
    const secret = yield * secrets.create()
    const sealed: SealedRun = { settings, questions: asked }
    const run = {
      agent,
      of,
      version,
      draft_etag: draft,
      cause,
      state: 'queued' as const,
      knowledge: now.digest,
      knowledge_revision: now.revision,
      total: asked.length,
      worse: 0,
      created_at: timestamp(clock.micros()),
      finished_at: null,
      secret,
      sealed: (yield * sealKept(secrets, secret)).close(`question_runs/${agent}`, deflateRawSync(JSON.stringify(sealed)))
    }
    const id = (yield * insert.get(rows.values(run)))!
    yield * forget.run(agent, agent)
    if (of === 'live') for (const question of asked) yield * fresh.run(question)
    yield * jobs.ask({ kind: RUN, subject: id, owner, lane: 'outside', inMs })
    return yield * shown((yield * one.get(id, owner))!)
  }

  const isOpen = ({ state }: Pick<CheckRunRecord, 'state'>) => state === 'queued' || state === 'running'

  return {
    runs: async (owner, agent, before, limit) =>
      db.read(function * () {
        return (yield * isThere.get(agent, owner)) === 1
          ? (yield * mapped(yield * some.all(agent, before, limit), shown))
          : undefined
      }),
    run: async (owner, agent, run) => db.read(function * () {
      const row = yield * one.get(run, owner)
      return row && recordOf(row).kept.agent === agent ? (yield * resultsOf(row)) : undefined
    }),
    begin: (owner, agent, made, once) => db.atomically(function * () {
      return (yield * isThere.get(agent, owner)) === 1
        ? (yield * idempotency.run(owner, once, () => begin(owner, agent, made)))
        : undefined
    }),
    goOn: (owner, run) => db.atomically(function * () {
      const row = yield * one.get(run, owner)
      if (!row) return undefined
      const { kept, open } = recordOf(row)
      if (!isOpen(kept)) return undefined
      const { settings, questions: asked } = yield * open()
      const done = new Set((yield * ofRun.all(run)).map((values) => results.record(values).question))
      yield * state.run('running', null, 0, run)
      const left = (yield * questions.all(kept.agent)).filter(({ id }) => asked.includes(id) && !done.has(id))
      return { run: kept, settings: completedSettings(settings), left }
    }),
    note: (owner, run, { question, verdict, ms, tokens, why, message, sources }: Noted) => db.atomically(function * () {
      const row = yield * one.get(run, owner)
      const kept = row && recordOf(row).kept
      if (!kept || !isOpen(kept)) return false
      // It may have been removed while it was running.
      if (!(yield * questions.one(kept.agent, question))) return true
      const said: SealedResult = { why, message, sources }
      const sealed = (yield * sealKept(secrets, kept.secret)).close(`question_runs/${run}/${question}`, JSON.stringify(said))
      yield * put.run(results.values({ run, question, verdict, ms, tokens, sealed }))
      if (kept.of === 'live') for (const source of sources) yield * link.run(question, source)
      yield * db.afterwards(() => notifier.notify(topicOf(run)))
      return true
    }),
    end: (owner, run) => db.atomically(function * () {
      const row = yield * one.get(run, owner)
      return row && isOpen(recordOf(row).kept) ? (yield * end(row, owner, 'done')) : undefined
    }),
    cancel: (owner, agent, run) => db.atomically(function * () {
      const row = yield * one.get(run, owner)
      if (!row || recordOf(row).kept.agent !== agent) return undefined
      return isOpen(recordOf(row).kept) ? (yield * end(row, owner, 'cancelled')) : (yield * shown(row))
    }),
    runOf: async (owner, agent, draft) => db.read(function * () {
      if ((yield * isThere.get(agent, owner)) !== 1) return undefined
      const blocking = (yield * questions.all(agent)).filter(({ enabled, blocking }) => enabled && blocking)
      const { digest } = yield * known(agent)
      const row = yield * firstOf(yield * some.all(agent, Number.MAX_SAFE_INTEGER, MOST_RUNS), function * (row) {
        const { kept, open } = recordOf(row)
        if (kept.of !== 'draft' || kept.draft_etag !== draft || kept.knowledge !== digest || kept.state === 'cancelled') return false
        const { questions: asked } = yield * open()
        return blocking.every(({ id, updated_at: at }) => asked.includes(id) && at < kept.created_at)
      })
      return row && (yield * resultsOf(row))
    }),
    stale: async (owner, agent) => db.read(function * () {
      return (yield * isThere.get(agent, owner)) === 1
        ? { questions: yield * stale.all(agent), last: (yield * lastOf.get(agent)) ?? null }
        : undefined
    }),
    sources: async (owner, agent, ids) => db.read(function * () {
      return new Map(
        (yield * isThere.get(agent, owner)) === 1
          ? (yield * there.all(JSON.stringify(ids), agent)).map(({ id, parent }) => [id, parent])
          : []
      )
    })
  }
}
