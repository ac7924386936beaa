import type { Behavior } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { CandidateKind } from '../../schema/people/learning.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Announcements, Happening } from '../platform/work/announcements.ts'
import { KEPT, type Found, type LearningStore } from './store.ts'

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

/** What could be learnt, in SQLite: noted in the transaction of what happened, without its words. */
export function sqliteLearningStore ({
  db, clock, onceOnly, announcements
}: {
  db: Database, clock: Clock, onceOnly: OnceOnly, announcements: Announcements
}): LearningStore {
  const { raw } = db
  const behavior = raw.prepare<[Id], string>('select behavior from agents where id = ?').pluck()
  const note = raw.prepare(`insert into candidates (owner_id, agent_id, conversation, seq, kind, state, created_at)
    select :owner, :agent, number, :seq, :kind, 'open', :at from conversations where id = :conversation on conflict do nothing`)
  const forget = raw.prepare<{ agent: Id }>(`delete from candidates where agent_id = :agent
    and id <= (select id from candidates where agent_id = :agent order by id desc limit 1 offset ${KEPT})`)
  const found = raw.prepare<object, Found>(`
    select candidates.id, conversations.id as conversation, seq, kind, state, candidates.created_at as at from candidates join conversations on number = conversation
    where candidates.agent_id in (select id from agents where owner_id = :owner and (:agent is null or id = :agent)) and (:kind is null or kind = :kind) order by candidates.id desc limit :limit`)
  const decide = raw.prepare(
    "update candidates set state = :state where id = :id and owner_id = :owner and state = 'open'"
  )

  function settle (owner: Id, ids: readonly Id[], state: 'approved' | 'dismissed') {
    const areOpen = ids.length > 0 && ids.every((id) => decide.run({ id, owner, state }).changes > 0)
    if (!areOpen) throw new Refusal('not_found', 'No such suggestion.')
  }

  announcements.on((happening) => {
    const { owner, agent } = happening
    if (happening.type === 'suggestion.approved') return settle(owner, happening.data.candidates, 'approved')
    const candidate = agent === null ? undefined : candidateOf(happening)
    if (!candidate || agent === null) return
    const isLearning =
      candidate.kind === 'unknown' || (JSON.parse(behavior.get(agent) ?? '{}') as Partial<Behavior>).continuousLearning
    if (!isLearning) return
    note.run({ ...candidate, owner, agent, at: clock.micros() })
    forget.run({ agent })
  })

  return {
    found: async (owner, { agent = null as never, kind = null as never }, limit) =>
      db.read(() => found.all({ owner, agent, kind, limit })),
    dismiss: (owner, ids, once) =>
      db.atomically(() =>
        onceOnly.run(owner, once, () => {
          settle(owner, ids, 'dismissed')
          return {}
        })
      )
  }
}
