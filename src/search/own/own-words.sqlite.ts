import type { Term } from '../../../schema/agents.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import type { Sliced } from '../../platform/storage/work.ts'
import { OwnPhrases } from './phrases.ts'

/** Phrases of all agents kept in memory, as each language has them; the agent asked longest ago is forgotten first. */
const PHRASES_IN_MEMORY = 200_000

/**
 * The vocabularies of agents as a search uses them. They are read when they have changed, step by step, so that what is
 * set counts for the next question.
 */
export function sqliteOwnWords (db: Statements, { most = PHRASES_IN_MEMORY } = {}) {
  const versionOf = db.column<[number], number>('SELECT version FROM vocabularies WHERE agent_id = ?')
  const termsOf = db.column<[number], string>('SELECT terms FROM vocabularies WHERE agent_id = ?')
  const agents = new Map<number, { version: number, own: OwnPhrases }>()

  function forgetSome (): void {
    let sum = 0
    for (const [agent, { own }] of [...agents].reverse()) {
      sum += own.size
      if (sum > most) agents.delete(agent)
    }
  }

  return {
    /** The vocabulary of an agent's business; undefined if none is set. */
    * of (agent: number): Sliced<OwnPhrases | undefined> {
      const version = yield * versionOf.get(agent)
      const known = agents.get(agent)
      agents.delete(agent)
      if (version === undefined) return undefined
      if (known?.version === version) {
        agents.set(agent, known)
        return known.own
      }
      const terms = JSON.parse((yield * termsOf.get(agent))!) as Term[]
      const own = yield * OwnPhrases.of(terms)
      if (terms.length === 0) return undefined
      agents.set(agent, { version, own })
      forgetSome()
      return own
    }
  }
}
