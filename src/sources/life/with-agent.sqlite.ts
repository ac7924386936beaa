import type { Id } from '../../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import { madeTooLate, REMOVE_AGENT, type AgentWithSources, type AgentWriter, type NewAgent } from '../../agents/index.ts'
import type { Refusal } from '../../platform/errors.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'
import { actingUser, outsideAudit } from '../../platform/storage/audit.ts'
import { settled, type Work } from '../../platform/storage/work.ts'
import type { Worker } from '../../platform/work/worker.ts'
import { nextTurn } from '../../platform/work/turns.ts'
import type { NewSource } from '../contract.ts'
import { folderOf } from '../folders.ts'
import type { Needs, SourceRows } from '../rows.ts'
import { added } from './create.ts'
import { training, type SourceRow } from './step.ts'

/*
 * Creating an agent with many sources. A single commit would block everybody, so the agent is created hidden, like a
 * deleted one, with a job that removes it; this process claims the job, and another runs it if this one ends. Its
 * sources follow in slices, and the last commit shows it and deletes the job. So it exists whole or not at all.
 */

/** Sources that are written in one commit: 5 ms. */
const SOURCES_A_COMMIT = 50

/** The kind of the job that asks for the training of all that an agent was made with; its subject is the agent. */
export const TRAIN_ALL = 'agents.train'

/** What making such agents needs. */
interface MakingNeeds extends Needs { agents: AgentWriter }

/** See KnowledgeStore.addAgent. */
export function agentMaking (needs: MakingNeeds, rows: SourceRows) {
  const { db, clock, idempotency, agents, jobs } = needs

  function * begin (owner: Id, decided: NewAgent | Refusal, drafts: NewSource[], by: Id | null) {
    const id = yield * agents.insert(owner, decided, by)
    const folders = yield * rows.folders(id)
    for (const { folder } of drafts) folderOf(folders, folder, 'agent_knowledge_folder')
    yield * rows.reserve(owner, id, drafts.length, sizeOf(drafts))
    yield * agents.hide(id)
    yield * jobs.hold({ kind: REMOVE_AGENT, subject: id, owner })
    return { id, folders }
  }

  /** All of its sources, read in slices: nobody changes what nobody sees. */
  async function sourcesOf (id: Id): Promise<KnowledgeSourceRecord[]> {
    const read: KnowledgeSourceRecord[] = []
    for (;;) {
      const slice = await db.read(() => agents.sourcesOf(id, read.at(-1)?.id ?? 0))
      if (slice.length === 0) return read
      read.push(...slice)
      await nextTurn()
    }
  }

  function * reveal (
    owner: Id, id: Id, sources: KnowledgeSourceRecord[], stored: number
  ): Work<AgentWithSources> {
    // Another process took this one for dead, and removes it.
    if (!(yield * jobs.holds(REMOVE_AGENT, id))) throw madeTooLate()
    yield * rows.demandStorage(owner, stored)
    yield * agents.reveal(owner, id)
    yield * jobs.drop(REMOVE_AGENT, id)
    yield * jobs.ask({ kind: TRAIN_ALL, subject: id, owner })
    yield * rows.moved(owner, id)
    return { agent: (yield * agents.find(owner, id))!, sources, total: sources.length }
  }

  /** Has it removed: here or, if the tables cannot be reached, by the next process that finds the claim abandoned. */
  function giveUp (id: Id) { jobs.letGo(REMOVE_AGENT, id).catch(() => undefined) }

  async function inSlices (
    owner: Id, decided: NewAgent | Refusal, drafts: NewSource[], once?: IdempotencyKey
  ): Promise<IdempotentResult<AgentWithSources>> {
    const kept = await db.read(() => idempotency.recall<AgentWithSources>(owner, once))
    if (kept) return await db.atomically(() => settled(kept))
    const by = actingUser()
    const { id, folders } = await outsideAudit(() => db.atomically(() => begin(owner, decided, drafts, by)))
    try {
      for (let at = 0; at < drafts.length; at += SOURCES_A_COMMIT) {
        const births = drafts.slice(at, at + SOURCES_A_COMMIT)
          .map((draft) => ({ ...added(owner, id, draft, { now: clock.micros(), folders }), jobs: [] }))
        await outsideAudit(() => db.atomically(() => rows.bring(births)))
      }
      const sources = await sourcesOf(id)
      const outcome = await db.atomically(() =>
        idempotency.run(owner, once, () => reveal(owner, id, sources, sizeOf(drafts).stored)))
      // The same request came twice at the same time.
      if (outcome.replayed) giveUp(id)
      return outcome
    } catch (error) {
      giveUp(id)
      throw error
    }
  }

  function * atOnce (owner: Id, decided: NewAgent | Refusal, drafts: NewSource[]): Work<AgentWithSources> {
    const agent = yield * agents.insert(owner, decided)
    const folders = yield * rows.folders(agent)
    yield * rows.bear(owner, agent, drafts.map((draft) => added(owner, agent, draft, { now: clock.micros(), folders })))
    return yield * agents.made(owner, agent)
  }

  return (
    owner: Id, decided: NewAgent | Refusal, drafts: NewSource[], once?: IdempotencyKey
  ): Promise<IdempotentResult<AgentWithSources>> => drafts.length > SOURCES_A_COMMIT
    ? inSlices(owner, decided, drafts, once)
    : db.atomically(
      () => idempotency.run(owner, once, () => atOnce(owner, decided, drafts)),
      // The numbers of what sources are taught by follow one another over all accounts.
      drafts.length === 0 ? { of: owner } : {}
    )
}

/** What new sources count for their agent and keep, in bytes. */
function sizeOf (drafts: readonly NewSource[]): { counted: number, stored: number } {
  const bytes = (list: readonly NewSource[]) => list.reduce((sum, { text }) => sum + (text?.bytes ?? 0), 0)
  const selected = drafts.filter(({ is_selected: isSelected = true }) => isSelected)
  const inFiles = drafts.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0)
  return { counted: bytes(selected), stored: bytes(drafts) + inFiles }
}

/** Asks for the training of what agents were made with, in slices, from now on. */
export function workOnMaking ({ db, jobs }: Pick<Needs, 'db' | 'jobs'>, worker: Pick<Worker, 'handle'>) {
  const untrained = db.objects<[Id, Id, number], Pick<SourceRow, 'id' | 'owner' | 'type' | 'file_blob'>>(`
    select id, owner_id as owner, type, file_blob from knowledge_sources
    where agent_id = ? and id > ? and training_status = 'Pending' order by id limit ?`)
  worker.handle(TRAIN_ALL, {
    tries: Infinity,
    async run ({ subject: agent }, signal) {
      for (let after = 0; ;) {
        signal.throwIfAborted()
        const last = await db.atomically(function * () {
          const some = yield * untrained.all(agent, after, SOURCES_A_COMMIT)
          yield * jobs.ask(...some.map((source) => ({ ...training(source), unlessAsked: true })))
          return some.at(-1)?.id
        })
        if (last === undefined) return { done: true }
        after = last
      }
    }
  })
}
