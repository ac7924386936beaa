import { AGENT_DEFAULTS, type Behavior } from '../../schema/agents.ts'
import { complete, type Id } from '../../schema/common.ts'
import type { CandidateKind } from '../../schema/people/learning.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { sealKept, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Announcements, Happening } from '../platform/work/announcements.ts'
import { sameAs, type Noted } from './group.ts'
import { KEPT, type Candidate, type Found, type LearningStore } from './store.ts'

/**
 * What may be learnt of something that happened. What was not known is always noted, for the figures; the rest where
 * the agent learns.
 */
export function candidateOf (
  happening: Happening
): { kind: CandidateKind, conversation: string, seq: number } | undefined {
  const kind = kindOf(happening)
  return kind && 'message' in happening.data
    ? { kind, conversation: happening.data.conversation.id, seq: happening.data.message.seq }
    : undefined
}

function kindOf (happening: Happening): CandidateKind | undefined {
  if (happening.type === 'feedback.given') {
    return happening.data.message.role === 'agent' && happening.data.message.feedback?.score === -1
      ? 'disliked'
      : undefined
  }
  if (happening.type !== 'message.completed') return undefined
  const { role, unknown } = happening.data.message
  if (role === 'person') return 'answered'
  return role === 'agent' && unknown ? 'unknown' : undefined
}

/** The kind of the jobs that read what was asked; their subject is the candidate. */
export const READ_QUESTION = 'learning'

/** What the store needs: conversations are sealed with the secrets. */
export interface LearningStoreNeeds {
  db: Database
  clock: Clock
  secrets: Secrets
  jobs: Pick<Jobs, 'ask'>
  onceOnly: OnceOnly
  announcements: Announcements
}

/** A row with the secret of its conversation. */
type Sealed = { id: Id, language: string | null, secret: Id, sealed: Buffer }

/** What could be learnt, in SQLite: noted in the transaction of what happened, its words by a job. */
export function sqliteLearningStore (needs: LearningStoreNeeds): LearningStore {
  const { db, secrets, onceOnly } = needs
  const { raw } = db
  const settle = settling(raw)
  listen(needs, settle)
  const unread = raw.prepare<[Id, Id], Found & { secret: Id, agent: Id }>(`
    select conversations.id as conversation, seq, kind, secret, candidates.agent_id as agent from candidates join conversations on number = conversation
    where candidates.id = ? and candidates.owner_id = ? and group_id is null and candidates.${OF_KEPT_AGENT}`)
  const sealed = 'candidates.id, candidates.language, candidates.sealed, secret'
  const withSecret = 'candidates join conversations on number = candidates.conversation'
  // Of each group the newest.
  const groups = raw.prepare<{ agent: Id, language: string | null }, Sealed & { group: Id }>(`
    select max(candidates.id) as newest, group_id as "group", ${sealed} from ${withSecret}
    where candidates.agent_id = :agent and candidates.language is :language and group_id is not null group by group_id`)
  const write = raw.prepare(
    'update candidates set language = :language, group_id = :group, sealed = :sealed where id = :id')
  const often = raw.prepare<object, Sealed & { times: number }>(`
    with often as (select max(id) as newest, count(*) as times from candidates where owner_id = :owner and kind = 'unknown'
      and agent_id in (select id from agents where owner_id = :owner and (:agent is null or id = :agent)) and group_id is not null
      group by agent_id, group_id order by times desc, newest desc limit :limit)
    select times, ${sealed} from often join ${withSecret} where candidates.id = newest order by times desc, newest desc`)
  const ofAgent = raw.prepare<[Id, Id], Candidate>(`
    select id, group_id as "group", kind, state, language, created_at as at from candidates
    where agent_id = ? and +owner_id = ? and group_id is not null and ${OF_KEPT_AGENT} order by id desc`)
  const named = raw.prepare<[string, Id], Sealed>(`
    select ${sealed} from ${withSecret}
    where candidates.id in (select value from json_each(?)) and +candidates.owner_id = ? and candidates.sealed is not null and candidates.${OF_KEPT_AGENT}`)

  const open = (row: Sealed) => opened(row, secrets)

  return {
    unread: async (owner, id) => db.read(() => unread.get(id, owner)),
    keep: (owner, id, { language, ...words }) =>
      db.atomically(() => {
        const found = unread.get(id, owner)
        if (!found) return
        const known = groups.all({ agent: found.agent, language }).map((row) => ({ group: row.group, ...open(row) }))
        const { group } = sameAs({ language, ...words }, known) ?? { group: id }
        write.run({
          id, language, group, sealed: sealKept(secrets, found.secret).close(placeOf(id), JSON.stringify(words))
        })
      }),
    unknown: async (owner, agent = null as never, limit) =>
      db.read(() =>
        often.all({ owner, agent, limit }).map((row) => ({ id: row.id, times: row.times, ...open(row) }))
      ),
    candidates: async (owner, agent) => db.read(() => ofAgent.all(agent, owner)),
    words: async (owner, ids) =>
      db.read(() => new Map(named.all(JSON.stringify(ids), owner).map((row) => [row.id, open(row)]))),
    dismiss: (owner, ids, once) =>
      db.atomically(() =>
        onceOnly.run(owner, once, () => {
          settle(owner, ids, 'dismissed')
          return {}
        })
      )
  }
}

const placeOf = (id: Id) => `candidate/${id}`

function opened ({ id, language, secret, sealed }: Sealed, secrets: Secrets): Noted {
  const words = JSON.parse(sealKept(secrets, secret).open(placeOf(id), sealed).toString()) as Omit<Noted, 'language'>
  return { language, ...words }
}

/** Decides about some of them, inside a transaction. */
type Settle = (owner: Id, ids: readonly Id[], state: 'approved' | 'dismissed') => void

function settling (raw: Database['raw']): Settle {
  const decide = raw.prepare(
    `update candidates set state = :state where id = :id and owner_id = :owner and state = 'open' and ${OF_KEPT_AGENT}`
  )
  return (owner, ids, state) => {
    const areOpen = ids.length > 0 && ids.every((id) => decide.run({ id, owner, state }).changes > 0)
    if (!areOpen) throw new Refusal('not_found', 'No such suggestion.')
  }
}

/** Notes what comes up, in the transaction of what happened; a job reads the words. */
function listen ({ db: { raw }, clock, jobs, announcements }: LearningStoreNeeds, settle: Settle) {
  const behavior = raw.prepare<[Id], string>('select behavior from agents where id = ?').pluck()
  const note = raw.prepare<object, Id>(`insert into candidates (owner_id, agent_id, conversation, seq, kind, state, created_at)
    select :owner, :agent, number, :seq, :kind, 'open', :at from conversations where id = :conversation on conflict do nothing returning id`).pluck()
  const forget = raw.prepare<{ agent: Id }>(`delete from candidates where agent_id = :agent
    and id <= (select id from candidates where agent_id = :agent order by id desc limit 1 offset ${KEPT})`)

  announcements.on((happening) => {
    const { owner, agent } = happening
    if (happening.type === 'suggestion.approved') return settle(owner, happening.data.candidates, 'approved')
    const candidate = agent === null ? undefined : candidateOf(happening)
    if (!candidate || agent === null) return
    const { continuousLearning } = complete(
      AGENT_DEFAULTS.behavior, JSON.parse(behavior.get(agent) ?? '{}') as Partial<Behavior>)
    if (candidate.kind !== 'unknown' && !continuousLearning) return
    const id = note.get({ ...candidate, owner, agent, at: clock.micros() })
    if (id !== undefined) jobs.ask({ kind: READ_QUESTION, subject: id, owner })
    forget.run({ agent })
  })
}
