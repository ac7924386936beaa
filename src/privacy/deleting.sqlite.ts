import type { Id } from '../../schema/common.ts'
import type { UsersAsPersons } from '../access/index.ts'
import { goneTopic, OF_KEPT_AGENT, REMOVE_AGENT, type AgentsOfPersons } from '../agents/index.ts'
import { leftToRemove } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Keeps } from '../personal-data/contract.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { ifAny, type Work } from '../platform/storage/work.ts'
import type { Job } from '../platform/work/jobs.ts'
import { rowRemoval, type Owned } from '../platform/work/row-removal.ts'
import { inSlices } from '../platform/work/slices.ts'

/*
 * Deleting agents and users. Large amounts are hidden in the commit that deletes, and removed by a job, in slices that
 * do not block others; the row itself is deleted last. Condition for hidden agents: OF_KEPT_AGENT.
 */

/** The kind of the job that removes a user; its subject is the user. */
const REMOVE_USER = 'users.remove'

/** What is still to be removed after deletions. */
export interface Left { jobs: number, conversations: number }

/** Deletes users, and reports the progress of removal. */
export interface Deletion {
  /**
   * Deletes a user with their own account: from then on nobody can sign in or see any of it, and jobs remove it. False
   * when there is none.
   */
  user (user: Id): Promise<boolean>
  /** What is still to be removed of an account's agents, and of itself. */
  left (owner: Id): Promise<Left>
}

/** Dependencies of deleting. */
export interface DeletionNeeds extends Pick<Kernel, 'db' | 'jobs' | 'worker' | 'notifier' | 'standing'> {
  /** What is deleted with an agent and an account, from each feature that stores any. */
  keeps: readonly Keeps[]
  users: UsersAsPersons
  agents: AgentsOfPersons
}

/** See Deletion. Removes what was deleted, from now on. */
export function openDeletion (
  { db, jobs, worker, notifier, standing, keeps, users, agents: owned }: DeletionNeeds
): Deletion {
  const close = keeps.flatMap(({ ways = [] }) => ways).map((way) => {
    const [table, column] = way.split('.')
    return db.objects(`delete from ${table} where ${column} = ?`)
  })
  const left = leftToRemove(db, REMOVE_USER)

  removing({ db, jobs, worker }, {
    kind: REMOVE_AGENT,
    table: 'agents',
    owned: keeps.flatMap(({ ofAgent = [] }) => ofAgent),
    * then ({ owner }) {
      const isGone = !(yield * users.isKept(owner))
      if (isGone && (yield * left.get({ owner }))!.jobs === 0) yield * askForUser(owner)
    }
  })
  removing({ db, jobs, worker }, {
    kind: REMOVE_USER, table: 'users', owned: keeps.flatMap(({ ofAccount = [] }) => ofAccount)
  })

  const askForUser = (user: Id) => jobs.ask({ kind: REMOVE_USER, subject: user, owner: user })

  return {
    user: (user) => db.atomically(function * () {
      if (!(yield * users.isKept(user))) return false
      const agents = yield * owned.ofAccount(user)
      yield * standing.moved()
      for (const way of close) yield * way.run(user)
      yield * users.forgetAddress(user)
      yield * owned.disown(user)
      yield * jobs.ask(...agents.map((agent) => ({ kind: REMOVE_AGENT, subject: agent, owner: user })))
      if (agents.length === 0) yield * askForUser(user)
      yield * db.afterwards(() => { for (const agent of agents) notifier.notify(goneTopic(agent)) })
      return true
    }, { frees: true }),
    left: async (owner) => db.read(function * () { return (yield * left.get({ owner }))! })
  }
}

/** How something deleted is removed. `then`: what follows, in the transaction that deletes its row. */
interface Removing { kind: string, table: 'agents' | 'users', owned: readonly Owned[], then?: (job: Job) => Work<void> }

/** Removes it by jobs of that kind: what belongs to it in slices, then its row. A killed job resumes. */
function removing (
  { db, jobs, worker }: Pick<DeletionNeeds, 'db' | 'jobs' | 'worker'>, { kind, table, owned, then }: Removing
) {
  const removeSome = rowRemoval(db, owned)
  const remove = db.objects(`delete from ${table} where id = ?`)
  worker.handle(kind, {
    tries: Infinity,
    async run (job, signal) {
      const slice = inSlices(db, signal)
      while (await slice(function * () {
        if (yield * removeSome(job.subject)) return true
        yield * remove.run(job.subject)
        yield * jobs.finish(job)
        if (then) yield * then(job)
        return false
      }));
      signal.throwIfAborted()
      return { done: true }
    }
  })
}

/** Detects what belongs to a deleted agent, by its name in the outbox. */
export function hidingAbout (
  db: Database, { agents, keeps }: Pick<DeletionNeeds, 'agents' | 'keeps'>
): () => Work<(about: string) => Work<boolean>> {
  const isHidden = new Map(keeps.flatMap(({ named = [] }) => named).map((table) => [
    table, db.column<[string], number>(`select 1 from ${table} where id = ? and not (${OF_KEPT_AGENT})`)
  ]))
  return function * () {
    if (!(yield * agents.isAnyDeleted())) return function * () { return false }
    return function * (about) {
      const [table = '', id = ''] = about.split('/', 2)
      return (yield * ifAny(isHidden.get(table)?.get(id))) === 1
    }
  }
}
