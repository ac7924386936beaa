import type { Id } from '../../schema/common.ts'
import type { Standing } from '../access/index.ts'
import { goneTopic, OF_KEPT_AGENT, REMOVE_AGENT } from '../agents/index.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { rowRemoval, type Owned } from '../platform/work/row-removal.ts'
import { inSlices } from '../platform/work/slices.ts'
import type { Worker } from '../platform/work/worker.ts'

/*
 * Deleting agents and users. What may be much is hidden in the commit that deletes it and removed by a job, in slices
 * that hold nobody up; the row itself goes last. Where an agent is hidden: OF_KEPT_AGENT.
 */

/** All that belongs to an agent; first what an account's lists walk over. Newer rows may belong to older ones. */
const OF_AGENT: readonly Owned[] = [
  {
    table: 'conversations',
    of: 'agent_id = ?',
    order: 'number desc',
    along: { tables: ['messages', 'attachments'], by: 'conversation' }
  },
  { table: 'tickets', of: 'agent_id = ?', along: { tables: ['ticket_messages'], by: 'ticket' } },
  { table: 'visitors', of: 'agent_id = ?', order: 'number desc' },
  { table: 'widget_keys', of: 'agent_id = ?' },
  {
    table: 'knowledge_sources',
    of: 'agent_id = ?',
    order: 'id desc',
    along: { tables: ['site_pages'], by: 'source_id' }
  },
  { table: 'knowledge_folders', of: 'agent_id = ?', order: 'id desc' },
  { table: 'knowledge_events', of: 'agent_id = ?' },
  { table: 'candidates', of: 'agent_id = ?' },
  { table: 'figures', of: 'agent_id = ?' },
  { table: 'question_runs', of: 'agent_id = ?', order: 'id desc', along: { tables: ['question_results'], by: 'run' } },
  { table: 'questions', of: 'agent_id = ?', order: 'id desc' },
  { table: 'agent_versions', of: 'agent_id = ?', order: 'number desc' }
]

/** What an account has and may have much of, beside its agents. */
const OF_USER: readonly Owned[] = [
  { table: 'outbox', of: 'owner_id = ?' },
  { table: 'idempotency_records', of: 'user_id = ?' },
  { table: 'privacy_receipts', of: 'owner_id = ?' },
  { table: 'audit_events', of: 'owner_id = ?' },
  { table: 'model_runs', of: 'owner_id = ?' },
  { table: 'model_days', of: 'owner_id = ?' }
]

/** Who may come in for a user or an account, and where it sends what happens. */
const WAYS = [
  'api_keys.user_id', 'sessions.user_id', 'passkeys.user_id', 'passwords.user_id', 'links.user_id', 'links.account_id',
  'members.user_id', 'members.account_id', 'duties.user_id', 'seen_marks.user_id', 'push_subscriptions.user_id',
  'saved_replies.owner_id', 'saved_replies.user_id',
  'webhooks.owner_id', 'model_providers.owner_id', 'businesses.owner_id'
]

/** The kind of the job that removes a user; its subject is the user. */
const REMOVE_USER = 'users.remove'

/** What is still to be removed of what was deleted. */
export interface Left { jobs: number, conversations: number }

/** Deletes users, and tells how far removing is. */
export interface Deletion {
  /**
   * Deletes a user with the account of theirs: nobody comes in, nobody sees any of it from then on, and jobs remove it.
   * False when there is none.
   */
  user (user: Id): Promise<boolean>
  /** What is still to be removed of an account's agents, and of itself. */
  left (owner: Id): Promise<Left>
}

/** What deleting needs. */
export interface DeletionNeeds {
  db: Database
  jobs: Jobs
  worker: Pick<Worker, 'handle'>
  notifier: Notifier
  standing: Standing
}

/** See Deletion. Removes what was deleted, from now on. */
export function openDeletion ({ db, jobs, worker, notifier, standing }: DeletionNeeds): Deletion {
  const { raw } = db
  const agentsOf = raw.prepare<[Id], Id>('select id from agents where owner_id = ?').pluck()
  const disown = raw.prepare('update agents set owner_id = null where owner_id = ?')
  const close = WAYS.map((way) => {
    const [table, column] = way.split('.')
    return raw.prepare(`delete from ${table} where ${column} = ?`)
  })
  const forgetAddress = raw.prepare('update users set email = null where id = ?')
  const isKept = raw.prepare<{ user: Id }, number>(`
    select exists (select 1 from members where user_id = :user) or exists (select 1 from passwords where user_id = :user)`
  ).pluck()
  const left = raw.prepare<{ owner: Id }, Left>(`
    select count(*) as jobs, coalesce(sum((select count(*) from conversations where agent_id = subject and kind = '${REMOVE_AGENT}')), 0) as conversations
    from jobs where kind in ('${REMOVE_AGENT}', '${REMOVE_USER}') and owner = :owner`)

  removing({ db, jobs, worker }, {
    kind: REMOVE_AGENT,
    table: 'agents',
    owned: OF_AGENT,
    then ({ owner }) {
      if (isKept.get({ user: owner }) !== 1 && left.get({ owner })!.jobs === 0) askForUser(owner)
    }
  })
  removing({ db, jobs, worker }, { kind: REMOVE_USER, table: 'users', owned: OF_USER })

  const askForUser = (user: Id) => jobs.ask({ kind: REMOVE_USER, subject: user, owner: user })

  return {
    user: (user) => db.atomically(() => {
      if (isKept.get({ user }) !== 1) return false
      const agents = agentsOf.all(user)
      standing.moved()
      for (const way of close) way.run(user)
      forgetAddress.run(user)
      disown.run(user)
      jobs.ask(...agents.map((agent) => ({ kind: REMOVE_AGENT, subject: agent, owner: user })))
      if (agents.length === 0) askForUser(user)
      for (const agent of agents) notifier.notify(goneTopic(agent))
      return true
    }, { frees: true }),
    left: async (owner) => db.read(() => left.get({ owner })!)
  }
}

/** How something that was deleted is removed. `then`: what follows, in the transaction in which its row goes. */
interface Removing { kind: string, table: 'agents' | 'users', owned: readonly Owned[], then?: (job: Job) => void }

/** Removes it by jobs of that kind: what belongs to it in slices, then its row. A killed one goes on where it was. */
function removing (
  { db, jobs, worker }: Pick<DeletionNeeds, 'db' | 'jobs' | 'worker'>, { kind, table, owned, then }: Removing
) {
  const removeSome = rowRemoval(db, owned)
  const remove = db.raw.prepare(`delete from ${table} where id = ?`)
  worker.handle(kind, {
    tries: Infinity,
    async run (job, signal) {
      const slice = inSlices(db, signal)
      while (await slice(() => {
        if (removeSome(job.subject)) return true
        remove.run(job.subject)
        jobs.finish(job)
        then?.(job)
        return false
      }));
      signal.throwIfAborted()
      return { done: true }
    }
  })
}

/** Tells what belongs to something of an agent that was deleted, by how the outbox names it. */
export function hidingAbout ({ raw }: Pick<Database, 'raw'>): () => (about: string) => boolean {
  const isAny = raw.prepare<[], number>('select 1 from agents where owner_id is null limit 1').pluck()
  const isHidden = new Map(['conversations', 'visitors', 'tickets'].map((table) => [
    table, raw.prepare<[string], number>(`select 1 from ${table} where id = ? and not (${OF_KEPT_AGENT})`).pluck()
  ]))
  return () => {
    if (isAny.get() !== 1) return () => false
    return (about) => {
      const [table = '', id = ''] = about.split('/', 2)
      return isHidden.get(table)?.get(id) === 1
    }
  }
}
