import type { Id } from '../../../schema/common.ts'
import { inAuditContext, type AuditContext } from '../../platform/storage/audit.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import { takingTurns } from '../../platform/work/slices.ts'
import type { Current } from '../current.ts'
import { located, type Step } from '../plan.ts'
import { madeBy } from '../putting.ts'
import { takeStep, type Ahead, type Done, type Taking } from './steps.ts'

/*
 * New agents, which are most of what large configurations have. What is made in the one transaction that applies files
 * holds up everybody else's writes, so they are made before it, a few in each transaction, and hidden in the same, like
 * deleted ones, each with a job that removes it: see AgentStore.hide. The one transaction shows them all. If it does
 * not come to that, or the process ends before, nobody has seen anything of them.
 */

/** New agents from which making them ahead is worth its transactions. */
const WORTH_IT = 10
/** Agents and sources that are made in one transaction, up to 8 ms; an agent with more sources is not made ahead. */
const MADE_AT_ONCE = 4
const MOST_SOURCES = 20

/** An agent that files make, with its sources. */
interface Newcomer { agent: Step, sources: Step[] }

/**
 * The agents that can be made ahead: those whose key nobody has, and whose actions exist. Their sources in folders are
 * made once they are shown, with the folders.
 */
function newcomersIn (
  steps: readonly Step[], current: readonly Current[], keys: ReadonlyMap<string, Id>
): Newcomer[] {
  const taken = new Set(current.flatMap(({ kind, key }) => kind === 'agent' ? [key] : []))
  const sources = Map.groupBy(steps.filter(({ kind, action }) => kind === 'source' && action === 'create'), ({ given }) => given!.parent!)
  const all = steps.flatMap((agent): Newcomer[] => {
    const { kind, action, given, next, place } = agent
    const { actions = [] } = (next['behavior'] ?? {}) as { actions?: string[] }
    if (kind !== 'agent' || action !== 'create' || taken.has(given!.key)) return []
    if (!actions.every((key) => keys.has(`actions/${key}`))) return []
    const own = (sources.get(place) ?? []).filter(({ next: { folder } }) => (folder as string[]).length === 0)
    return own.length > MOST_SOURCES ? [] : [{ agent, sources: own }]
  })
  return all.length < WORTH_IT ? [] : all
}

/** Makes the new agents of a plan, a few at a time, and hides them. If one is refused, all are given up. */
export async function madeAhead (
  steps: readonly Step[],
  /** `context`: who acts. */
  { current, db, context }: { current: readonly Current[], db: Database, context: AuditContext },
  taking: Omit<Taking, 'doing' | 'noting'>
): Promise<Ahead> {
  const { owner, parts: { agents, knowledge }, keys } = taking
  const made: Array<{ ids: Map<string, Id>, agents: Id[], done: Done[] }> = []
  const newcomers = newcomersIn(steps, current, keys)
  const hidden = () => made.flatMap(({ agents: some }) => some)

  /** Makes one and hides it. */
  function * make ({ agent, sources }: Newcomer, ids: Map<string, Id>, done: Done[]): Work<void> {
    const doing: Taking['doing'] = function * (action, target, fields, method) {
      const result = yield * db.within(method)
      const { answer } = result as { answer?: unknown }
      const id = answer === undefined ? undefined : madeBy(action)?.(answer)
      done.push({ action, target: id === undefined ? target : `${target}/${id}`, fields: [...fields] })
      return result
    }
    for (const step of [agent, ...sources]) {
      try {
        yield * takeStep(step, { ...taking, ids, folders: new Map(), doing, * noting () {} })
      } catch (error) {
        throw located(step.given!, error)
      }
    }
    const id = ids.get(agent.place)!
    yield * knowledge.store.postpone(owner, id, sources.map(({ place }) => ids.get(place)!))
    yield * agents.hide(owner, id)
  }

  try {
    const turn = takingTurns()
    for (let at = 0; at < newcomers.length;) {
      const few: Newcomer[] = []
      for (let size = 0; size < MADE_AT_ONCE && at < newcomers.length; size += 1 + few.at(-1)!.sources.length) {
        few.push(newcomers[at++]!)
      }
      await turn()
      made.push(await inAuditContext({ ...context, state: 'recorded' }, () => db.atomically(function * () {
        const [ids, done] = [new Map<string, Id>(), []]
        for (const one of few) yield * make(one, ids, done)
        return { ids, agents: few.map(({ agent }) => ids.get(agent.place)!), done }
      })))
    }
  } catch (error) {
    agents.giveUp(owner, hidden())
    throw error
  }
  return {
    ids: new Map(made.flatMap(({ ids }) => [...ids])), agents: hidden(), done: made.flatMap(({ done }) => done)
  }
}
