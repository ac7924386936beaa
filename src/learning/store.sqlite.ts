import { AGENT_DEFAULTS, type Behavior } from '../../schema/agents.ts'
import { complete, type Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { CandidateKind } from '../../schema/people/learning.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { isOfDraft } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { Refusal } from '../platform/errors.ts'
import { sealKept, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { allOf, mapped, type Work } from '../platform/storage/work.ts'
import type { DomainEventOf } from '../platform/work/event-bus.ts'
import { sameAs, type Noted } from './group.ts'
import { MOST_LEARNABLE, type Candidate, type Found, type LearningStore } from './store.ts'

/** The events that something can be learnt from. */
const TEACHING = ['answer.faulted', 'feedback.given', 'message.completed'] as const

/**
 * What can be learnt from an event. Unanswered questions are always recorded, for the figures; others if the agent
 * learns; none from tests.
 */
function candidateOf (
  { type, data }: DomainEventOf<typeof TEACHING[number]>
): { kind: CandidateKind, conversation: string, seq: number } | undefined {
  if (type === 'answer.faulted') return { kind: 'disliked', ...data.answer }
  if (isOfDraft(data.conversation)) return undefined
  const kind = type === 'feedback.given' ? kindOfRated(data.message) : kindOf(data.message)
  return kind && { kind, conversation: data.conversation.id, seq: data.message.seq }
}

function kindOfRated ({ role, feedback }: MessageRecord): CandidateKind | undefined {
  return role === 'agent' && feedback?.score === -1 ? 'disliked' : undefined
}

function kindOf ({ role, unknown }: MessageRecord): CandidateKind | undefined {
  if (role === 'person') return 'answered'
  return role === 'agent' && unknown ? 'unknown' : undefined
}

/** The kind of the jobs that read the questions; their subject is the candidate. */
export const READ_QUESTION = 'learning'

/** Dependencies of the store: conversations are sealed with the secrets. */
type LearningStoreNeeds = Pick<Kernel, 'db' | 'clock' | 'secrets' | 'jobs' | 'idempotency' | 'eventBus'>

/** A row with the secret of its conversation. */
type Sealed = { id: Id, language: string | null, secret: Id, sealed: Buffer }

/** Candidates in SQLite: recorded in the transaction of the event, their texts by a job. */
export function sqliteLearningStore (needs: LearningStoreNeeds): LearningStore {
  const { db, secrets, idempotency } = needs
  const settle = settling(db)
  listen(needs, settle)
  const unread = db.objects<[Id, Id], Found & { secret: Id, agent: Id }>(`
    select conversations.id as conversation, seq, kind, secret, candidates.agent_id as agent from candidates join conversations on number = conversation
    where candidates.id = ? and candidates.owner_id = ? and group_id is null and candidates.${OF_KEPT_AGENT}`)
  const sealed = 'candidates.id, candidates.language, candidates.sealed, secret'
  const withSecret = 'candidates join conversations on number = candidates.conversation'
  // The newest of each group.
  const groups = db.objects<{ agent: Id, language: string | null }, Sealed & { group: Id }>(`
    select group_id as "group", ${sealed} from ${withSecret} where candidates.id in (
      select max(id) from candidates where agent_id = :agent and language is :language and group_id is not null group by group_id)`)
  const write = db.objects(
    'update candidates set language = :language, group_id = :group, sealed = :sealed where id = :id')
  const often = db.objects<object, Sealed & { times: number }>(`
    with often as (select max(id) as newest, count(*) as times from candidates where owner_id = :owner and kind = 'unknown'
      and agent_id in (select id from agents where owner_id = :owner and (id = :agent or :agent is null)) and group_id is not null
      group by agent_id, group_id order by times desc, newest desc limit :limit)
    select times, ${sealed} from often cross join ${withSecret} where candidates.id = newest order by times desc, newest desc`)
  const ofAgent = db.objects<[Id, Id], Candidate>(`
    select id, group_id as "group", kind, state, language, created_at as at from candidates
    where agent_id = ? and +owner_id = ? and group_id is not null and ${OF_KEPT_AGENT} order by id desc`)
  const named = db.objects<[string, Id], Sealed>(`
    select ${sealed} from ${withSecret}
    where candidates.id in (select cast(value as bigint) from json_each(?)) and +candidates.owner_id = ? and candidates.sealed is not null and candidates.${OF_KEPT_AGENT}`)

  const open = (row: Sealed) => opened(row, secrets)

  return {
    unread: async (owner, id) => db.read(() => unread.get(id, owner)),
    keep: (owner, id, { language, ...words }) =>
      db.atomically(function * () {
        const found = yield * unread.get(id, owner)
        if (!found) return
        const known = yield * mapped(yield * groups.all({ agent: found.agent, language }), function * (row) {
          return { group: row.group, ...yield * open(row) }
        })
        const { group } = sameAs({ language, ...words }, known) ?? { group: id }
        yield * write.run({
          id,
          language,
          group,
          sealed: (yield * sealKept(secrets, found.secret)).close(
            placeOf(id), JSON.stringify(words)
          )
        })
      }, { of: owner }),
    unknown: async (owner, agent = null as never, limit) =>
      db.read(function * () {
        return yield * mapped(yield * often.all({ owner, agent, limit }), function * (row) {
          return { id: row.id, times: row.times, ...yield * open(row) }
        })
      }),
    candidates: async (owner, agent) => db.read(() => ofAgent.all(agent, owner)),
    words: async (owner, ids) =>
      db.read(function * () {
        return new Map(yield * mapped(yield * named.all(JSON.stringify(ids), owner), function * (row) {
          return [row.id, yield * open(row)]
        }))
      }),
    dismiss: (owner, ids, once) =>
      db.atomically(function * () {
        return yield * idempotency.run(owner, once, function * () {
          yield * settle(owner, ids, 'dismissed')
          return {}
        })
      })
  }
}

const placeOf = (id: Id) => `candidate/${id}`

function * opened ({ id, language, secret, sealed }: Sealed, secrets: Secrets): Work<Noted> {
  const words = JSON.parse((yield * sealKept(secrets, secret)).open(placeOf(id), sealed).toString()) as Omit<Noted, 'language'>
  return { language, ...words }
}

/** Decides about some of them, inside a transaction. */
type Settle = (owner: Id, ids: readonly Id[], state: 'approved' | 'dismissed') => Work<void>

function settling (db: Database): Settle {
  const decide = db.objects(
    `update candidates set state = :state where id = :id and owner_id = :owner and state = 'open' and ${OF_KEPT_AGENT}`
  )
  return function * (owner, ids, state) {
    const areOpen = ids.length > 0 && (yield * allOf(ids, function * (id) {
      return (yield * decide.run({ id, owner, state })) > 0
    }))
    if (!areOpen) throw new Refusal('not_found', 'No such suggestion.')
  }
}

/** Records candidates, in the transaction of the event; a job reads the texts. */
function listen ({ db, clock, jobs, eventBus }: LearningStoreNeeds, settle: Settle) {
  const behavior = db.column<[Id], string>('select behavior from agents where id = ?')
  const note = db.column<object, Id>(`insert into candidates (owner_id, agent_id, conversation, seq, kind, state, created_at)
    select :owner, :agent, number, :seq, :kind, 'open', :at from conversations where id = :conversation on conflict do nothing returning id`)
  const forget = db.objects<{ agent: Id }>(`delete from candidates where agent_id = :agent
    and id <= (select id from candidates where agent_id = :agent order by id desc limit 1 offset ${MOST_LEARNABLE})`)

  eventBus.on(['suggestion.approved'], ({ owner, data }) => settle(owner, data.candidates, 'approved'))
  eventBus.on(TEACHING, function * (happened) {
    const { owner, agent } = happened
    const candidate = agent === null ? undefined : candidateOf(happened)
    if (!candidate || agent === null) return
    const { continuousLearning } = complete(
      AGENT_DEFAULTS.behavior, JSON.parse((yield * behavior.get(agent)) ?? '{}') as Partial<Behavior>)
    if (candidate.kind !== 'unknown' && !continuousLearning) return
    const id = yield * note.get({ ...candidate, owner, agent, at: clock.micros() })
    if (id !== undefined) yield * jobs.ask({ kind: READ_QUESTION, subject: id, owner })
    yield * forget.run({ agent })
  })
}
